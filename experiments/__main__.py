"""Make tables and figures of pages anew: `python -m experiments [PAGE ...]`; --show prints them.

All pages take a quarter of an hour: accuracy, claims, crossovers, faults, frontier,
optimise and yang_wu_pan minutes each.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from experiments import page


def main() -> None:
    """Write or print the parts of the pages asked for."""
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
        data, tables = (
            {
                table: rows
                for table, rows in getattr(script, kind, {}).items()
                if table in (asked.table or [table])
            }
            for kind in ("DATA", "TABLES")
        )
        if asked.show:
            page.show(data | tables)
            continue
        if data and not asked.figures:
            page.write_data(name, data)
        if tables and not asked.figures:
            page.write_tables(name, tables)
        if hasattr(script, "FIGURES") and not (asked.tables or asked.table):
            page.draw(script.FIGURES)


main()
