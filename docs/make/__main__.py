"""Make tables and figures of pages anew: `python -m docs.make [PAGE ...] [--tables|--figures|--table NAME]`.

All pages take a quarter of an hour: accuracy, claims, crossovers, faults, frontier,
optimise and yang_wu_pan minutes each.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from docs.make import page


def main() -> None:
    """Write the pages asked for."""
    parser = argparse.ArgumentParser(prog="python -m docs.make", description=__doc__)
    parser.add_argument(
        "pages", nargs="*", choices=[*page.SCRIPTS, []], metavar="PAGE", help=", ".join(page.SCRIPTS)
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--tables", action="store_true", help="no figures")
    only.add_argument("--figures", action="store_true", help="no tables")
    only.add_argument("--table", action="append", metavar="NAME", help="this one; repeatable")
    asked = parser.parse_args()
    for name in asked.pages or page.SCRIPTS:
        script = import_module(f"docs.make.{name}")
        if hasattr(script, "DATA") and not asked.figures:
            chosen = asked.table or script.DATA
            page.write_data(name, {x: rows for x, rows in script.DATA.items() if x in chosen})
        if hasattr(script, "TABLES") and not asked.figures:
            chosen = asked.table or script.TABLES
            page.write_tables(name, {x: rows for x, rows in script.TABLES.items() if x in chosen})
        if hasattr(script, "FIGURES") and not (asked.tables or asked.table):
            page.draw(script.FIGURES)


main()
