"""The verdicts of docs/paper/index.md, from the page that has every claim with its figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from docs.make.page import Tables, head, row, written
from senn.experiments.claims import CLAIMS

TOPICS = {
    "time and work": {
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
    "two arrays": {
        "senn-matches": "the network matches the algorithm's communication",
        "senn-optimal": "the network is optimal for it",
        "strategy-two": "the second strategy computes less and overlaps more",
        "diagonalisation-dearer": "diagonalising A costs more than F'_T, so that PR_2 waits for it",
        "step-two-hidden": "Step II hides behind Step I",
        "communication-hidden": "communication of Steps I.b and I.c hides behind computation",
        "inverse-inertias-early": "inverse inertias come well before they are needed",
        "newton-euler-hidden": "Newton-Euler hides behind all the rest",
    },
    "other machines": {
        "limited-speed-up": "for few joints the speed-up is limited",
        "more-processors": "2N and 6N processors are faster than N",
        "fine-grain-strategy": "parallelism inside matrix-vector operations needs a machine made for it",
        "mimd-suitable": "suitable for MIMD machines such as hypercubes",
        "newton-euler-on-mimd": "Newton-Euler on MIMD machines gains little",
        "redundant-arms": "a significant speed-up for an arm of 25 joints",
    },
}
"""The claims by the tables of the page, each in a few words."""
VERDICT = re.compile(r"^## (\S+)$.*?^\*\*Verdict: (.*?)\.\*\* ", re.MULTILINE | re.DOTALL)


def verdicts(topic: str) -> Iterator[str]:
    """A row for every claim of a topic: what the paper says in a few words, where, and whether it holds."""
    found = dict(VERDICT.findall(written("claims")))
    places = {claim.name: claim.place for claim in CLAIMS}
    yield from head("the paper", "Fijany", "tried")
    for name, in_short in TOPICS[topic].items():
        said, _, when = found[name].partition(" when ")
        verdict = f"**{said}** when {when}" if when else f"**{said}**"
        yield row(f"[{in_short}](claims.md#{name})", places[name], verdict)


TABLES: Tables = {topic: partial(verdicts, topic) for topic in TOPICS}
