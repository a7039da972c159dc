"""Kernels: local block operations on stacked arrays, each with its operation count."""
