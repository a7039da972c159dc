"""Claims on machines of one's own: one cycle an operation, and messages of any cost."""

from pathlib import Path

from experiments.claims import QUICK, Finding, chosen
from experiments.claims.claim import Row, Scope

SLOW, FAST = "startup = 1000\nword = 64", "startup = 4\nword = 1"


def tried(name: str, folder: Path, *timings: str, flop: int = 1, fields: str = "") -> Finding:
    """A claim on machines "0.toml", "1.toml", ... with these times of messages."""
    files = [folder / f"{rank}.toml" for rank in range(len(timings))]
    for file, text in zip(files, timings, strict=True):
        machine = f'[machine]\nname = "{file.stem}"\nclock_mhz = 1\n{fields}\n'
        file.write_text(
            f"{machine}[timing]\nflop = {flop}\npost = 1\nreceive = 0\n{text}\n", encoding="utf-8"
        )
    (claim,) = chosen((name,))
    return claim.examine(Scope(QUICK.sizes, tuple(map(str, files)), QUICK.few))


def row(finding: Finding, table: int = 0, **key: object) -> Row:
    """The one row of a table with these entries."""
    (one,) = (r for r in finding.figures[table].rows if all(r[k] == v for k, v in key.items()))
    return one
