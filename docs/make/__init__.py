"""What makes the tables and figures of the documentation: a script for each page, named after it.

`python -m docs.make channels` makes those of channels.md anew, `python -m docs.make` those of all pages.
"""
