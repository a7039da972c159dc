"""Make tables and figures of pages anew: `python -m experiments [PAGE ...]`; --show prints them.

All pages take a quarter of an hour: accuracy, claims, crossovers, faults, frontier,
optimise and yang_wu_pan minutes each. With the extra `experiments` fewest_rounds takes
an hour more.
"""

from __future__ import annotations

import argparse
import signal
from importlib import import_module
from itertools import chain

from experiments import page


def main() -> None:
    """Write or print the parts of the pages asked for."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it as any Unix filter
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument(
        "pages", nargs="*", choices=[*page.SCRIPTS, []], metavar="PAGE", help=", ".join(page.SCRIPTS)
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--tables", action="store_true", help="no figures")
    only.add_argument("--figures", action="store_true", help="no tables")
    only.add_argument("--table", action="append", metavar="NAME", help="this one; repeatable")
    parser.add_argument("--show", action="store_true", help="print the tables, write nothing")
    asked = parser.parse_args()
    for name in asked.pages or page.SCRIPTS:
        script = import_module(page.SCRIPTS[name])
        kinds = [getattr(script, kind, {}) for kind in ("DATA", "TABLES")]
        if unknown := set(asked.table or ()).difference(*kinds):
            parser.error(f"{name} has no table {', '.join(unknown)}; it has {', '.join(chain(*kinds))}")
        data, tables = ({x: kind[x] for x in kind if x in (asked.table or kind)} for kind in kinds)
        if asked.show and not (data or tables):
            parser.error(f"{name} has pictures alone; leave out --show")
        if asked.show:
            for title, rows in (data | tables).items():
                print(f"\n{title}\n", *rows(), sep="\n", flush=True)
        elif not asked.figures:
            page.write_data(name, data)
            page.write_tables(name, tables)
        if hasattr(script, "FIGURES") and not (asked.show or asked.tables or asked.table):
            page.draw(script.FIGURES)


main()
