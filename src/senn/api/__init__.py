"""Functions of the command line: every option is an argument of the same name."""
