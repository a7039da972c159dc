"""Inputs that nobody means well: valid files and command lines, damaged; by number, so that each comes again.

`valid` has a small file of every kind, `damage` what is done to them, `cases` whole command lines with their
files, and `judge` runs one and says how it ended. Used by `benchmarks/hostile.py` and its tests.
"""
