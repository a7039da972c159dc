"""Forward dynamics: a page per algorithm."""
