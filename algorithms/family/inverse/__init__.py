"""Inverse dynamics: a page per algorithm."""
