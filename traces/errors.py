"""The one error of bad input: what is wrong, where, and the way out.

It lives in the lowest room so that every room may raise it; the command line turns it into one line
and exit status 2.
"""


class InputError(ValueError):
    """Something the user gave cannot be used; the text names it in the user's terms and says the way out."""
