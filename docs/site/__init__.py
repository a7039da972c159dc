"""What only the site has: the order of the pages; commands, words and docstrings as pages."""
