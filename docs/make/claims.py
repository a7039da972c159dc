"""The page claims.md, its data files and its pictures, some minutes.

The page is written from docs/data/claims/claims.csv, which has every claim with its verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import cycle
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from docs.make.page import DATA as FOLDER
from docs.make.page import Figures, Tables, data, head, row, table
from senn.experiments.claims import CLAIMS, Finding, judged, scope
from senn.experiments.claims.networks import UNITS
from senn.experiments.measuring import Trial, measured, placed, survey
from senn.traces.pictures import style
from senn.traces.pictures.style import LOOKS

TRIED = scope(quick=False)


@cache
def found() -> dict[str, Finding]:
    """Every claim examined."""
    return {claim.name: judged(claim, TRIED) for claim in CLAIMS}


# --------------------------------------------------------------------------------- page and data

HEAD = """# Verdicts: every claim of the paper

A claim is a sentence of Fijany (1993). An experiment tries it, and a rule decides from the measured cases
whether it holds; no verdict is written by hand. To repeat an experiment:

```sh
senn claims optimal     # one claim, its rule and figures; without a name, all of them; --json for programs
```

All runs are timing only, with revolute joints and a welded tip, for n = {first} to {last} on all machines of
`senn list machines` that have the paper's network. Times are in cycles of each machine.
[claims.csv](../data/claims/claims.csv) has the sentences in full, the experiments, the rules and the reasons.
The best serial solution is that of [crossovers](crossovers.md#the-serial-side). `python -m docs.make claims`
writes this page and its data; every claim is also a test.
"""

TOPICS = {
    "Time and work": {
        "strictly-sequential": "the recursion of articulated bodies cannot be made parallel",
        "logarithmic-steps": "O(log N) time with O(N) processors",
        "optimal": "optimal in time and in processors",
        "elimination": "odd-even elimination is more parallel than reduction",
        "lambda-dearer": "Lambda^-1 costs much more than the accelerations",
        "other-projections": "any other projection than on frame i is dearer",
        "ldl-serially": "serially, block LDL' is cheaper than cyclic reduction",
        "explicit-inverse": "M^-1 in O(N^2) operations, and applied in O(N)",
        "mass-matrix-dearer": "M by this factorisation is dearer than by others",
        "serial-cost": "serially 3.4 times as dear as the best, for an open chain",
        "serial-cost-closed": "less than that for a closed chain",
    },
    "The network, and what hides behind what": {
        "senn-matches": "the network matches the algorithm's communication",
        "senn-optimal": "the network is optimal for it",
        "strategy-two": "the second strategy computes less and overlaps more",
        "diagonalisation-dearer": "diagonalising A costs more than F'_T, so that PR_2 waits for it",
        "step-two-hidden": "Step II hides behind Step I",
        "communication-hidden": "communication of Steps I.b and I.c hides behind computation",
        "inverse-inertias-early": "inverse inertias come well before they are needed",
        "newton-euler-hidden": "Newton-Euler hides behind all the rest",
    },
    "Speed-up, and machines of other kinds": {
        "limited-speed-up": "for few joints the speed-up is limited",
        "more-processors": "2N and 6N processors are faster than N",
        "fine-grain-strategy": "parallelism inside matrix-vector operations needs a machine made for it",
        "mimd-suitable": "suitable for MIMD machines such as hypercubes",
        "newton-euler-on-mimd": "Newton-Euler on MIMD machines gains little",
        "redundant-arms": "a significant speed-up for an arm of 25 joints",
    },
}
"""The claims of each section of the page; each in a few words."""
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
        "Makespan on other networks over that on SENN, each with data where it is faster, on mark3",
    ),
    "more-processors": (
        "claims-widths",
        "How many times as fast a wider machine is, n = 32",
    ),
    "fine-grain-strategy": (
        "claims-units",
        "How many times as fast 2N nodes are with k arithmetic units each, n = 8",
    ),
    "communication-hidden": ("claims-exposed", "Exposed stalls of Step I.b over their floor"),
}


def every_claim() -> Iterator[str]:
    """Rows of claims.csv: sentence, verdict, experiment and rule of each claim."""
    yield from head("claim", "Fijany", "sentence", "verdict", "because", "experiment", "rule", "figures")
    for claim in CLAIMS:
        finding = found()[claim.name]
        titles = " // ".join(figures.title for figures in finding.figures)
        verdict = finding.verdict, finding.because
        yield row(claim.name, claim.place, claim.says, *verdict, claim.experiment, claim.rule, titles)


def figures_of(name: str, index: int) -> Iterator[str]:
    """Rows of one table of a claim."""
    yield from table(found()[name].figures[index].rows)


def whole() -> Iterator[str]:
    """The page, from claims.csv."""
    yield HEAD.format(first=TRIED.sizes[0], last=TRIED.sizes[-1])
    titles, *rows = data("claims", "claims")
    claims = {line[0]: dict(zip(titles, line, strict=True)) for line in rows}
    for topic, sentences in TOPICS.items():
        yield f"\n## {topic}"
        for name, sentence in sentences.items():
            yield from section(name, sentence, claims[name])


def section(name: str, sentence: str, claim: Mapping[str, str]) -> Iterator[str]:
    """One claim: its sentence in short, the verdict and why, its picture, and links to its figures."""
    yield f"\n### {name}\n"
    yield f"*{sentence[0].upper()}{sentence[1:]}* ({claim['Fijany']}).\n"
    reason = re.match(r".*?[a-z0-9%)](?:\.|:)(?= |$)", claim["because"])
    because = reason[0].rstrip(":.") + "." if reason else claim["because"]
    yield fill(f"**Verdict: {claim['verdict']}.** {because}", 118, break_on_hyphens=False) + "\n"
    if name in PICTURES:
        file, text = PICTURES[name]
        yield f"![{text}](../figures/{file}.png)\n"
    count = len(claim["figures"].split(" // "))
    yield "Figures: " + ", ".join(f"[{k}](../data/claims/{name}-{k}.csv)" for k in range(1, count + 1)) + "."


# --------------------------------------------------------------------------------- pictures


def growth() -> Figure:
    """Cycles of one machine, home and migrating, and network steps."""
    figure = pyplot.figure(figsize=(10.0, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for residency, color, marker in (("migrating", style.PHASES["I"], "o"), ("home", style.EXPOSED, "s")):
        trials = [Trial(n, "mark3", residency=residency) for n in TRIED.sizes]  # type: ignore[arg-type]
        look: dict[str, Any] = {
            "color": color,
            "marker": marker,
            "label": residency,
        }
        left.plot(TRIED.sizes, [run.makespan for run in survey(trials).values()], **look)
        right.plot(TRIED.sizes, [placed(trial).network_steps() for trial in trials], **look)
    left.set_ylabel("makespan on mark3 (cycles)")
    right.set_ylabel("network steps")
    for ax in (left, right):
        plain(ax)
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_formatter("{x:,.0f}")
        ax.legend(frameon=False)
    times = at_last(left)["home"] / at_last(left)["migrating"]
    said = f"At n = {TRIED.sizes[-1]:,}, data at home take {times:.2g} times as long as data that migrate"
    figure.suptitle(said, x=0.01, ha="left", weight="bold", size=13)
    return figure


def residency() -> Figure:
    """Makespan at home over migrating."""
    ax = axes()
    for look, one in zip(LOOKS, found()["senn-matches"].figures[1].rows, strict=False):
        line(ax, TRIED.sizes, [one[f"n = {n}"] for n in TRIED.sizes], look, one["machine"])
    ax.axhline(1.0, color=style.INK, linewidth=0.8)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylabel("home / migrating")
    last = at_last(ax)
    most, least = max(last, key=last.__getitem__), min(last, key=last.__getitem__)
    said = f"migrating is {last[most]:.2g} times as fast on {most}, {last[least]:.2g} times on {least}"
    return legend(ax, f"At n = {TRIED.sizes[-1]:,}, {said}")


def step_two() -> Figure:
    """When Step II ends and Lambda^-1 arrives, n = 32."""
    ax = pyplot.figure(figsize=(9.0, 0.5 * len(TRIED.machines) + 2.0), layout="constrained").subplots()
    rows = [row for row in found()["step-two-hidden"].figures[0].rows if row["n"] == 32]
    for place, one in enumerate(rows):
        whole = measured(Trial(32, one["machine"])).makespan
        color = style.EXPOSED if one["late by"] else style.HIDDEN
        ax.barh(place, one["Step II ends"] / whole, color=color, height=0.55)
        ax.plot(
            [one["Lambda^-1 arrives"] / whole] * 2,
            [place - 0.4, place + 0.4],
            color=style.INK,
            linewidth=2.5,
        )
    ax.set_yticks(range(len(rows)), [row["machine"] for row in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of the makespan")
    style.plain_frame(ax)
    entries = [
        style.patch("Step II, hidden behind Step I", facecolor=style.HIDDEN),
        style.patch("Step II, the longer one", facecolor=style.EXPOSED),
        Line2D([], [], color=style.INK, linewidth=2.5, label="Lambda^-1 arrives"),
    ]
    hidden = [row["machine"] for row in rows if not row["late by"]]
    style.headed(
        ax, f"n = 32: Step II is hidden behind Step I on {len(hidden)} of {len(rows)} machines", entries
    )
    return ax.figure


def exposed() -> Figure:
    """Exposed cycles of I.b over the floor, by machine."""
    ax = axes()
    rows = found()["communication-hidden"].figures[0].rows
    names = [name for name in TRIED.machines if any(row["floor"] for row in rows if row["machine"] == name)]
    for look, name in zip(LOOKS[1:], names, strict=False):
        own = [row for row in rows if row["machine"] == name]
        line(ax, [row["n"] for row in own], [row["I.b"] / row["floor"] for row in own], look, name)
        line(ax, [row["n"] for row in own], [row["I.b, ahead"] / row["floor"] for row in own], look, None)
    ax.axhline(1.0, color=style.INK, linewidth=0.8)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylabel("exposed in I.b / M (alpha + 15 beta)")
    last, dotted = at_last(ax), {"linestyle": ":", "linewidth": 1.6, "label": "values ahead"}
    ahead = [Line2D([], [], color=look[0], **dotted) for look, _ in zip(LOOKS[1:], names, strict=False)]  # type: ignore[arg-type]
    floor = ", ".join(name for name in last if last[name] <= 1)
    said = f"no more than the floor on {floor}" if floor else "on every machine more than the floor"
    return legend(ax, f"Exposed at n = {TRIED.sizes[-1]:,}: {said}", tuple(ahead))


def networks() -> Figure:
    """Other networks on one machine."""
    ax = axes()
    rows = [row for row in found()["senn-optimal"].figures[0].rows if row["machine"] == "mark3"]
    for look, one in zip(LOOKS, rows, strict=False):
        by_n = {n: one[f"n = {n}"] for n in TRIED.sizes if f"n = {n}" in one}
        line(ax, list(by_n), list(by_n.values()), look, f"{one['network']}, degree {one['degree']}")
    ax.axhline(1.0, color=style.INK, linewidth=0.8)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylabel("makespan / that on SENN")
    quick = [label.split(",")[0] for label, times in at_last(ax).items() if times < 1]
    last = max(line.get_xdata()[-1] for line in ax.lines if len(line.get_xdata()) > 2)
    said = f"{len(quick)} networks ({', '.join(quick) or 'none'}) are faster than SENN"
    return legend(ax, f"At n = {last:,.0f}, {said}", columns=2)


def widths() -> Figure:
    """Bars by width and machine."""
    rows = found()["more-processors"].figures[0].rows
    labels = list(dict.fromkeys(row["width"] for row in rows))
    ax = pyplot.figure(figsize=(11.0, 5.0), layout="constrained").subplots()
    step = 0.8 / len(TRIED.machines)
    for rank, (look, name) in enumerate(zip(LOOKS, TRIED.machines, strict=False)):
        gains = [row["n = 32"] for row in rows if row["machine"] == name]
        places = [place + (rank + 0.5) * step - 0.4 for place in range(len(labels))]
        ax.bar(places, [gain - 1 for gain in gains], bottom=1, width=0.9 * step, color=look[0], label=name)
    ax.axhline(1.0, color=style.INK, linewidth=0.8)
    ax.set_xticks(
        range(len(labels)), [label.replace(" in the ", "\n") for label in labels], fontsize=style.SMALL
    )
    ax.set_ylabel("times as fast")
    best = max(rows, key=lambda row: row["n = 32"])
    said = f"At most {best['n = 32']:.2f} times as fast: {best['width']} on {best['machine']}"
    style.headed(ax, said, ax.get_legend_handles_labels()[0])
    return ax.figure


def units() -> Figure:
    """Speed-up over the number of arithmetic units of a node."""
    ax = axes()
    rows = [row for row in found()["fine-grain-strategy"].figures[1].rows if row["n"] == 8]
    for look, one in zip(cycle(LOOKS), rows, strict=False):
        by_k = {1: 1.0} | {k: one[f"k = {k}"] for k in UNITS[1:]}
        line(ax, list(by_k), list(by_k.values()), look, one["machine"])
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_xlabel("k, arithmetic units of a node")
    ax.set_ylabel("times as fast as with one")
    last = at_last(ax)
    most, least = max(last, key=last.__getitem__), min(last, key=last.__getitem__)
    said = f"{last[most]:.3g} times as fast on {most}, {last[least]:.3g} times on {least}"
    return legend(ax, f"{UNITS[-1]} units in a node: {said}")


def axes() -> Axes:
    """New axes with n along x."""
    ax = pyplot.figure(figsize=(9.0, 5.2), layout="constrained").subplots()
    plain(ax)
    return ax


def plain(ax: Axes) -> None:
    """n along x, by powers of two."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlabel("n")
    ax.grid()


def line(ax: Axes, x: Sequence[int], y: Sequence[float], look: tuple[str, str], label: str | None) -> None:
    """One machine; dotted without a label."""
    color, marker = look
    if label is None:
        ax.plot(x, y, color=color, linewidth=1.6, linestyle=":")
    else:
        ax.plot(x, y, color=color, marker=marker, label=label)


def legend(ax: Axes, finding: str, *more: style.Entry, columns: int = 4) -> Figure:
    """On top of the axes, and above it what they show."""
    style.headed(ax, finding, [*ax.get_legend_handles_labels()[0], *more], columns=columns)
    return ax.figure


def at_last(ax: Axes) -> dict[str, float]:
    """The last point of every named line."""
    lines = (line for line in ax.lines if not str(line.get_label()).startswith("_"))
    return {str(line.get_label()): float(np.asarray(line.get_ydata())[-1]) for line in lines}


def _data() -> Tables:
    """The rows of every data file; the files that are there name the tables of each claim."""
    tables: dict[str, Callable[[], Iterator[str]]] = {"claims": every_claim}
    for file in sorted((FOLDER / "claims").glob("*-[1-9].csv")):
        name, _, number = file.stem.rpartition("-")
        tables[file.stem] = partial(figures_of, name, int(number) - 1)
    return tables


DATA = _data()
TEXT = whole
FIGURES: Figures = {
    "claims-networks": networks,
    "claims-widths": widths,
    "claims-growth": growth,
    "claims-residency": residency,
    "claims-step-two": step_two,
    "claims-exposed": exposed,
    "claims-units": units,
}
