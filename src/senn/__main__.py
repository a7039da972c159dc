"""`python -m senn` is `senn`."""

from senn.cli.main import main

if __name__ == "__main__":
    main()
