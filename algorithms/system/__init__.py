"""The block tridiagonal system A phi = psi: eliminated or reduced, by either strategy."""
