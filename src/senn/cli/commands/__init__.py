"""A file for each command; what they print is in `printing`."""
