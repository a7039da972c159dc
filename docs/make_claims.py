"""Write docs/claims.md, docs/crossovers.md and their figures anew: `python docs/make_claims.py [--quick]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from senn import crossovers
from senn.claims import CLAIMS, Claim, Finding, Scope, Table, scope
from senn.traces.pictures import drawing

DOCS = Path(__file__).parent
FIGURES = DOCS / "figures"
GRID = "#E6E6E6"
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)

# ------------------------------------------------------------------------------- claims.md

HEAD = """# What the paper claims, and what was measured

Made by `python docs/make_claims.py`; the same figures, in text or JSON: `senn claims`, `senn claims NAME`,
`senn claims --json`. Every claim is also a test (`tests/senn/claims/test_paper.py`).

A claim is a sentence of Fijany (1993). Beside it stand the experiment that tries it and the rule by which
it counts as holding; the verdict follows from the measured cases by this rule and is nowhere written by
hand. All runs are timing only, for revolute joints and a welded tip; {machines}; n = {first} to {last}.
Times are cycles of the machine.

What "the best serial solution" is: see [crossovers](crossovers.md#the-serial-side).
"""

PICTURES = {
    "logarithmic-steps": (
        "claims-growth",
        "Cycles over n: a line where data migrate, more where they stay at home",
    ),
    "senn-matches": (
        "claims-residency",
        "Makespan at home over makespan migrating: above 1 migrating is faster",
    ),
    "step-two-hidden": (
        "claims-step-two",
        "Step II (bar) and the arrival of Lambda^-1 (mark) within the makespan, n = 32",
    ),
    "senn-optimal": (
        "claims-networks",
        "Makespan on other networks, data at home, over that on SENN, migrating, on mark3",
    ),
    "more-processors": (
        "claims-widths",
        "How many times as fast a wider machine is, n = 32",
    ),
    "communication-hidden": ("claims-exposed", "Exposed cycles of Step I.b over their floor"),
}


def claims_page(found: Sequence[tuple[Claim, Finding]], tried: Scope) -> Iterator[str]:
    """The page, piece by piece."""
    machines = "machines " + ", ".join(f"`{name}`" for name in tried.machines)
    yield HEAD.format(machines=machines, first=tried.sizes[0], last=tried.sizes[-1])
    yield "| claim | Fijany | verdict |\n|---|---|---|"
    for claim, finding in found:
        yield f"| [{claim.name}](#{claim.name}) | {claim.place} | **{finding.verdict}** |"
    for claim, finding in found:
        yield from section(claim, finding)


def section(claim: Claim, finding: Finding) -> Iterator[str]:
    """One claim."""
    yield f"\n## {claim.name}\n"
    yield f"> {claim.says}\n>\n> Fijany {claim.place}\n"
    yield f"**Verdict: {finding.verdict}.** {finding.because}\n"
    yield f"*Experiment.* {claim.experiment} *Rule.* {claim.rule}\n"
    if claim.name in PICTURES:
        name, text = PICTURES[claim.name]
        yield f"![{text}](figures/{name}.png)\n"
    for table in finding.figures:
        yield f"{table.title}:\n"
        yield from markdown(table)
        yield ""


def markdown(table: Table) -> Iterator[str]:
    """A table of figures."""
    columns = list(table.rows[0])
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for row in table.rows:
        yield f"| {' | '.join(said(row[name]) for name in columns)} |"


def said(entry: Any) -> str:
    """Numbers with separators; None is "never"."""
    if entry is None:
        return "never"
    return f"{entry:,}" if isinstance(entry, int) else str(entry)


# --------------------------------------------------------------------------------- pictures


def growth(found: dict[str, Finding], tried: Scope) -> Figure:
    """Cycles of one machine, home and migrating, and network steps."""
    from senn.experiments import Case, placed, survey

    figure = mpl.pyplot.figure(figsize=(9.0, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for residency, color, marker in (("migrating", drawing.PHASES["I"], "o"), ("home", drawing.EXPOSED, "s")):
        cases = [Case(n, "mark3", residency=residency) for n in tried.sizes]  # type: ignore[arg-type]
        style: dict[str, Any] = {
            "color": color,
            "marker": marker,
            "markersize": 5,
            "linewidth": 1.2,
            "label": residency,
        }
        left.plot(tried.sizes, [run.makespan for run in survey(cases).values()], **style)
        right.plot(tried.sizes, [placed(case).network_steps() for case in cases], **style)
    left.set_ylabel("makespan on mark3 (cycles)")
    right.set_ylabel("network steps")
    for ax in (left, right):
        plain(ax)
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_formatter("{x:,.0f}")
        ax.legend(frameon=False)
    return figure


def residency(found: dict[str, Finding], tried: Scope) -> Figure:
    """Makespan at home over migrating."""
    ax = axes()
    for look, row in zip(crossovers.LOOKS, found["senn-matches"].figures[1].rows, strict=False):
        line(ax, tried.sizes, [row[f"n = {n}"] for n in tried.sizes], look, row["machine"])
    ax.axhline(1.0, color=drawing.INK, linewidth=0.8)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylabel("home / migrating")
    return legend(ax)


def step_two(found: dict[str, Finding], tried: Scope) -> Figure:
    """When Step II ends and Lambda^-1 arrives, n = 32."""
    from senn.experiments import Case, measured

    ax = mpl.pyplot.figure(figsize=(8.0, 0.5 * len(tried.machines) + 1.4), layout="constrained").subplots()
    rows = [row for row in found["step-two-hidden"].figures[0].rows if row["n"] == 32]
    for place, row in enumerate(rows):
        whole = measured(Case(32, row["machine"])).makespan
        color = drawing.EXPOSED if row["late by"] else drawing.HIDDEN
        ax.barh(place, row["Step II ends"] / whole, color=color, height=0.55)
        ax.plot(
            [row["Lambda^-1 arrives"] / whole] * 2,
            [place - 0.4, place + 0.4],
            color=drawing.INK,
            linewidth=2.5,
        )
    ax.set_yticks(range(len(rows)), [row["machine"] for row in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of the makespan")
    drawing.plain_frame(ax)
    entries = [
        drawing.patch("Step II, hidden behind Step I", facecolor=drawing.HIDDEN),
        drawing.patch("Step II, the longer one", facecolor=drawing.EXPOSED),
        Line2D([], [], color=drawing.INK, linewidth=2.5, label="Lambda^-1 arrives"),
    ]
    drawing.legend_above(ax, entries, columns=3)
    return ax.figure


def exposed(found: dict[str, Finding], tried: Scope) -> Figure:
    """Exposed cycles of I.b over the floor, by machine."""
    ax = axes()
    rows = found["communication-hidden"].figures[0].rows
    names = [name for name in tried.machines if any(row["floor"] for row in rows if row["machine"] == name)]
    for look, name in zip(crossovers.LOOKS[1:], names, strict=False):
        own = [row for row in rows if row["machine"] == name]
        line(ax, [row["n"] for row in own], [row["I.b"] / row["floor"] for row in own], look, name)
        line(ax, [row["n"] for row in own], [row["I.b, ahead"] / row["floor"] for row in own], look, None)
    ax.axhline(1.0, color=drawing.INK, linewidth=0.8)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylabel("exposed in I.b / M (alpha + 15 beta)")
    return legend(ax, Line2D([], [], color=drawing.OTHER, linestyle=":", label="ahead"))


def networks(found: dict[str, Finding], tried: Scope) -> Figure:
    """Other networks on one machine."""
    ax = axes()
    rows = [row for row in found["senn-optimal"].figures[0].rows if row["machine"] == "mark3"]
    for look, row in zip(crossovers.LOOKS, rows, strict=True):
        by_n = {n: row[f"n = {n}"] for n in tried.sizes if f"n = {n}" in row}
        line(ax, list(by_n), list(by_n.values()), look, f"{row['network']}, degree {row['degree']}")
    ax.axhline(1.0, color=drawing.INK, linewidth=0.8)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylabel("makespan / that on SENN, migrating")
    return legend(ax, columns=2)


def widths(found: dict[str, Finding], tried: Scope) -> Figure:
    """Bars by width and machine."""
    rows = found["more-processors"].figures[0].rows
    labels = list(dict.fromkeys(row["width"] for row in rows))
    ax = mpl.pyplot.figure(figsize=(8.6, 3.8), layout="constrained").subplots()
    step = 0.8 / len(tried.machines)
    for rank, (look, name) in enumerate(zip(crossovers.LOOKS, tried.machines, strict=False)):
        gains = [row["n = 32"] for row in rows if row["machine"] == name]
        places = [place + (rank + 0.5) * step - 0.4 for place in range(len(labels))]
        ax.bar(places, [gain - 1 for gain in gains], bottom=1, width=0.9 * step, color=look[0], label=name)
    ax.axhline(1.0, color=drawing.INK, linewidth=0.8)
    ax.set_xticks(range(len(labels)), [label.replace(" in the ", "\n") for label in labels], fontsize="small")
    ax.set_ylabel("times as fast")
    ax.spines[["top", "right"]].set_visible(False)
    drawing.legend_above(ax, ax.get_legend_handles_labels()[0], columns=6)
    return ax.figure


DRAWN = {
    "claims-networks": networks,
    "claims-widths": widths,
    "claims-growth": growth,
    "claims-residency": residency,
    "claims-step-two": step_two,
    "claims-exposed": exposed,
}


def axes() -> Axes:
    """New axes with n along x."""
    ax = mpl.pyplot.figure(figsize=(8.0, 4.2), layout="constrained").subplots()
    plain(ax)
    return ax


def plain(ax: Axes) -> None:
    """n along x, by powers of two."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlabel("n")
    ax.grid(color=GRID, linewidth=0.8)
    ax.spines[["top", "right"]].set_visible(False)


def line(ax: Axes, x: Sequence[int], y: Sequence[float], look: tuple[str, str], label: str | None) -> None:
    """One machine; dotted without a label."""
    color, marker = look
    if label is None:
        ax.plot(x, y, color=color, linewidth=0.9, linestyle=":")
    else:
        ax.plot(x, y, color=color, marker=marker, markersize=5, linewidth=1.2, label=label)


def legend(ax: Axes, *more: Line2D, columns: int = 4) -> Figure:
    """On top of the axes."""
    drawing.legend_above(ax, [*ax.get_legend_handles_labels()[0], *more], columns=columns)
    return ax.figure


# --------------------------------------------------------------------------- crossovers.md

RACES = """# Crossovers: from how many joints on it pays

Made by `python docs/make_claims.py`; the same in text or JSON, on any machine: `senn crossovers --form
short`.

The parallel program on 2 n nodes against the best serial solution on one node of the *same* machine,
revolute joints, welded tip, data migrating. Wins are exact: every n from 2 to {largest} is decided (within
equal M = ceil(log2 n) the makespan hardly changes and the serial time grows, so halving finds where winning
begins; at the next M a level is added and it may end). "First win if messages took no time" is the same
with start-up, words and posting free: what is lost beyond it is communication.

## Which n
"""

SERIAL = """
## The serial side

The best serial solution is the cheaper of two, by operations at the machine's own cycles each. Both are
written in scalars, with nothing multiplied that is zero (`algorithms/references/economical`), checked against
the reference solvers, and executed on counting scalars, which give exactly these formulas
(`algorithms/references/costs.py`, `tests/algorithms/references/test_economical.py`):

| solution | multiply | add | divide | sine, cosine |
|---|---|---|---|---|
| articulated bodies, O(n) | 396 n + 264 | 370 n + 187 | n + 6 | 2 n |
| mass matrix, O(n^3) | (n^3 + 45 n^2 + 1340 n) / 6 + 404 | (n^3 + 39 n^2 + 1142 n) / 6 + 310 | n + 6 | 2 n |
| open chain by articulated bodies | 231 n - 152 | 223 n - 166 | n | 2 n |

Both include Newton-Euler for b and Jdot Q, the contact force, and the second application of M^-1;
articulated bodies carry Lambda^-1 outward as one symmetric 6x6 matrix instead of six right-hand sides. With
equal cycles for all operations, and 20 for a sine, the mass matrix is the cheaper one up to n = 17. The
open chain costs 6 % more than the published count (McMillan and Orin 1995, as quoted by Featherstone and
Orin 2000: 224 n - 30, 205 n - 37).
"""


def crossovers_page(machines: Sequence[str], sizes: Sequence[int]) -> Iterator[str]:
    """The page; draws its figures on the way."""
    yield RACES.format(largest=sizes[-1])
    for form in ("short", "paper"):
        yield f"Form {form}:\n"
        found = [crossovers.crossover(name, sizes[-1], form) for name in machines]
        yield from markdown(
            Table(
                "",
                [
                    {
                        "machine": f"`{one.machine}`",
                        "first win": one.first,
                        "wins for good from": one.lasting,
                        "first win if messages took no time": one.free_first,
                        "a start-up costs (operations)": one.startup,
                        "a word costs (operations)": one.word,
                    }
                    for one in found
                ],
            )
        )
        yield ""
    yield "## How much\n"
    for form in ("short", "paper"):
        whole = crossovers.table(machines, form, "migrating", sizes)
        save(crossovers.draw(whole, caption=f"form {form}, data migrating").figure, f"crossovers-{form}")
        yield f"![Speed-up over n on every machine, form {form}](figures/crossovers-{form}.png)\n"
        for column, title in (("speed_up", "Speed-up"), ("efficiency", "Speed-up per processor")):
            yield f"{title}, form {form}:\n"
            by_n = [
                {"n": n, **{f"`{name}`": whole.filter(machine=name, n=n)[0, column] for name in machines}}
                for n in sizes
            ]
            yield from markdown(Table("", by_n))
            yield ""
    yield SERIAL


def save(figure: Figure, name: str) -> None:
    """docs/figures/NAME.png."""
    figure.savefig(FIGURES / f"{name}.png", dpi=110, bbox_inches="tight", metadata={"Software": None})
    mpl.pyplot.close(figure)


def write(name: str, lines: Iterator[str]) -> None:
    """docs/NAME, whole."""
    (DOCS / name).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(f"docs/{name}", flush=True)


def main(quick: bool) -> None:
    """Both pages and all figures."""
    mpl.use("Agg")
    import matplotlib.pyplot  # noqa: F401

    FIGURES.mkdir(exist_ok=True)
    tried = scope(quick)
    found = []
    for claim in CLAIMS:
        found.append((claim, claim.examine(tried)))
        print(f"{claim.name}: {found[-1][1].verdict}", flush=True)
    by_name = {claim.name: finding for claim, finding in found}
    for name, draw in DRAWN.items():
        save(draw(by_name, tried), name)
    write("claims.md", claims_page(found, tried))
    write("crossovers.md", crossovers_page(tried.machines, SIZES[:-2] if quick else SIZES))


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
