"""The command line in this process."""

from click.testing import CliRunner, Result

from senn.cli.main import cli


def senn(*words: str) -> Result:
    """What `senn WORDS` prints, and how it ends."""
    return CliRunner().invoke(cli, words, prog_name="senn")
