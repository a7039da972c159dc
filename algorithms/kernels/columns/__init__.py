"""Kernels on all columns of the mass matrix at once: `rows`, one of each joint; `blocks`, any joints."""
