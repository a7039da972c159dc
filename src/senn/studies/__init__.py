"""Many runs as one table: grids of parameters, computed here or on a cluster, kept, compared."""
