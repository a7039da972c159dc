"""The block tridiagonal system A phi = psi: eliminated, reduced, refined, by either strategy."""
