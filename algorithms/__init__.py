"""The algorithms: robots, spatial algebra, kernels, the programs, and the serial references."""
