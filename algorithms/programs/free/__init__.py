"""Programs for an arm that touches nothing: inverse dynamics, the hybrid, the inversion of M."""
