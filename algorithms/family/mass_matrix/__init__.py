"""The mass matrix: a page per algorithm."""
