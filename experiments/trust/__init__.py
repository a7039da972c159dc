"""Scripts of pages."""
