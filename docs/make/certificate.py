"""The measured tables of certificate.md.

The cheapest machine is used: the numbers of a run do not depend on its timing. They do depend on the
processor, whose kernels round in an order of their own: powers of ten are printed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import senn
from docs.make.page import Tables, head, order, row

FORMS = ("paper", "short", "omega")
RANGES = ((1, 8), (9, 32), (33, 64))
SLENDERNESS = ("0.1", "0.01", "0.001")


def certificate(problem: str, form: str, refine: int, seed: int) -> Mapping[str, Any]:
    """The certificate of one run, at the least detail."""
    done = senn.run(
        f"{problem}:seed={seed}",
        form=form,  # type: ignore[arg-type]
        refine=refine,
        residency="home",
        machine="ideal",
        detail="summary",
        values=False,
    )
    assert done.certificate is not None
    return done.certificate


def used(found: Mapping[str, Any]) -> float:
    """The largest part of a tolerance that an error or residual uses: above 1 the certificate fails."""
    return float(found["used"])


def percentage(part: float) -> str:
    """The same of a part of a tolerance, and of less than a thousandth that it is about that or less."""
    percent = 100.0 * 10.0 ** max(-3, round(math.log10(part)))
    return f"{percent:,.0f}%" if percent >= 1.0 else f"{percent:.1f}%"


def mild(seed: int = 0, ranges: Sequence[tuple[int, int]] = RANGES) -> Iterator[str]:
    """Compact random arms, n = 1..64, all forms, with and without prismatic joints, nothing refined."""
    yield from head(
        "n", "joints", "form", "runs", "failed", "largest error", "largest residual", "tolerance used"
    )
    for low, high in ranges:
        for joints, option in (("revolute", ""), ("30 % prismatic", ":prismatic=0.3")):
            for form in FORMS:
                runs = [certificate(f"random:{n}{option}", form, 0, seed) for n in range(low, high + 1)]
                failed = sum(not run["ok"] for run in runs)
                error = max(run["error"] for run in runs)
                residual = max(run["worst_residual"] for run in runs)
                most = max(map(used, runs))
                errors = order(error), order(residual), percentage(most)
                yield row(f"{low}..{high}", joints, form, len(runs), failed, *errors)


def rods(seed: int = 0, sizes: Sequence[int] = (8, 64)) -> Iterator[str]:
    """Slender rods: error, residual and verdict, unrefined and refined."""
    yield from head("radius/length", "n", "form", "refine", "tolerance used", "error", "residual", "verdict")
    for slenderness in SLENDERNESS:
        for n in sizes:
            for form, refine in (("paper", 0), ("short", 0), ("paper", 1), ("short", 1)):
                found = certificate(f"rods:{n}:slenderness={slenderness}", form, refine, seed)
                verdict = "passes" if found["ok"] else "**fails**"
                errors = percentage(used(found)), order(found["error"]), order(found["residual"])
                yield row(slenderness, n, form, refine, *errors, verdict)


DATA: Tables = {"mild": mild, "rods": rods}
