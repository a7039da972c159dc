"""The command line: thin; every option is an argument of the API of the same name."""
