"""Two tables of accuracy.md: where star products lose their digits, and the longest arms."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np

from docs.make.page import head, order, row
from docs.make.ways import REFERENCES, exact, problem_of
from senn import api
from senn.algorithms import problems
from senn.algorithms.certificate.standard import Standard, compared
from senn.algorithms.problems.problem import Problem
from tests.oracles import two_ports


def digits() -> Iterator[str]:
    """Star products in 80 bits but for one thing that is rounded to double precision, medians of arms."""
    texts = {"random:64": 5, "random:1024": 3}
    yield from head("rounded to double precision", *(f"{x}, {y}" for x in texts for y in ("qdd", "residual")))
    found: dict[str, list[float]] = {}
    for text, seeds in texts.items():
        each = [_rounded(problem_of(text, seed), exact(text, seed)) for seed in range(seeds)]
        for label in each[0]:
            for figure in ("qdd_error", "residual"):
                found.setdefault(label, []).append(median(one[label][figure] for one in each))
    for label, errors in found.items():
        yield row(label, *map(order, errors))


def _rounded(what: Problem, standard: Standard) -> dict[str, dict[str, float]]:
    """Errors of qdd with the contact force as it should be."""
    narrow, wide = np.float64, np.longdouble
    whole = two_ports.links(what)
    own = two_ports.two_ports(whole)
    spans = two_ports.scans(own)
    lost = [two_ports.cast(two_ports.cast(span, narrow), wide) for span in spans]
    links, ports = whole.cast(narrow), two_ports.cast(own, narrow)
    again = links.cast(wide)
    made = {
        "nothing": (whole, *spans),
        "what is known of the links": (again, *two_ports.scans(two_ports.two_ports(again))),
        "their two-ports": (whole, *two_ports.scans(two_ports.cast(ports, wide))),
        "the spans, once": (whole, *lost),
        "all products": (whole, *(two_ports.cast(span, wide) for span in two_ports.scans(ports))),
        "the last step": (links, *(two_ports.cast(span, narrow) for span in spans)),
        "everything": (links, *two_ports.scans(two_ports.two_ports(links))),
    }
    found = {}
    for label, (of, inner, outer) in made.items():
        force = np.asarray(standard.right["force"], of.tau.dtype)
        qdd = np.float64(two_ports.accelerations(of, inner, outer, force))
        errors = compared(what, {**standard.right, "qdd": qdd}, standard)
        found[label] = {name: float(entries.max()) for name, entries in errors.items()}
    return found


def long_arms() -> Iterator[str]:
    """The longest arms: serially beside 80 bits, and what certificates of runs say. Minutes, and 8 GB."""
    figures = ("qdd_error", "contact_force_error", "residual")
    yield from head("n", "way", "qdd", "force", "residual", "its tolerance", "certificate")
    for n in LONGEST:
        what, standard = problems.load(f"random:{n}"), exact(f"random:{n}", 0)
        solutions = {way.label: way.solve(what, "double") for way in REFERENCES}
        for label, found in ({"right, rounded to double precision": standard.right} | solutions).items():
            errors = compared(what, found, standard)
            yield row(f"{n:,}", label, *(order(errors[name].max()) for name in figures), "", "")
        for label, chosen in RUNS.items():
            run = api.run(f"random:{n}", engine="lockstep", detail="summary", **chosen)
            assert run.certificate is not None
            said = [order(run.certificate[name]) for name in figures]
            allowed, passes = run.certificate["tolerances"]["residual"], run.certificate["ok"]
            yield row(f"{n:,}", label, *said, order(allowed), "passes" if passes else "fails")


LONGEST = (4096, 16384, 65536)
RUNS: dict[str, dict[str, Any]] = {
    "paper": {"form": "paper"},
    "short": {"form": "short"},
    "short, oer": {"form": "short", "elimination": "oer"},
    "star products": {"algorithm": "star"},
}
