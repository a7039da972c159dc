"""Kernels of the star program: spans of links as two-ports, and what they are made and asked for."""
