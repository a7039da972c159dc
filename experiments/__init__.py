"""What makes the tables and figures of the documentation: a script for each page, named after it.

`python -m experiments channels` makes those of channels.md anew, `python -m experiments` those of all pages.
"""
