"""How many processors: N, 2N, and 6N more for the columns of Eq. (84)."""

from __future__ import annotations

from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table, held
from senn.experiments.crossovers import race
from senn.experiments.measuring import Trial, makespans, ratio

SMALL = (8, 16)

LIMITED = Claim(
    name="limited-speed-up",
    place="VI.C",
    says=(
        "Parallel computation by N processors, despite its asymptotic optimality, offers a limited "
        "speed-up for systems with small N, due to the large constant coefficients."
    ),
    experiment=(
        "The forms paper and short on one array, data migrating, n = 8 and 16: the best serial solution "
        "on one node over the makespan."
    ),
    rule="Limited: on no machine more than twice as fast as one node.",
    examine=lambda scope: _limited(scope),
)

MULTILEVEL = Claim(
    name="more-processors",
    place="VI.C",
    says=(
        "Key to increasing the efficiency is to exploit a higher degree of parallelism by using a larger "
        "number of processors: 2N; and the system of Eq. (84) for six right-hand sides can be computed in "
        "parallel by 6N."
    ),
    experiment=(
        "The form paper on 1, 2, 3 (Newton-Euler apart) and 8 arrays (each column of Eq. (84) apart), and "
        "the form short on 1, 2 and 3, data migrating; n up to 64."
    ),
    rule=(
        "A width helps if on every machine it shortens the makespan of the next smaller one at every n; 8 "
        "arrays against 2."
    ),
    examine=lambda scope: _multilevel(scope),
)

_LARGEST = 64
_STEPS = {
    "2N processors replace N in the form paper": ("paper", 1, 2),
    "3N replace 2N in the form paper": ("paper", 2, 3),
    "8N replace 2N in the form paper": ("paper", 2, 8),
    "2N replace N in the form short": ("short", 1, 2),
    "3N replace 2N in the form short": ("short", 2, 3),
}


def _limited(scope: Scope) -> Finding:
    rows: list[Row] = [
        {
            "machine": name,
            "n": n,
            **{
                f"{form}, {k}N": race(name, n, form, arrays=k).speed_up
                for form in ("paper", "short")
                for k in (1, 2)
            },
        }
        for name in scope.machines
        for n in SMALL
    ]
    columns = ("paper, 1N", "short, 1N")
    limited = held(rows, "machine", lambda row: max(row[name] for name in columns) <= 2)
    best = max(rows, key=lambda row: row["short, 1N"])
    because = (
        f"At best {best['short, 1N']} ({best['machine']}, n = {best['n']}, form short), at worst "
        f"{min(row['paper, 1N'] for row in rows)}."
    )
    return Finding(limited, "the machine is {}", because, (Table("Speed-up over one node", rows),))


def _multilevel(scope: Scope) -> Finding:
    sizes = [n for n in scope.few if n <= _LARGEST]
    rows: list[Row] = []
    for label, (form, fewer, more) in _STEPS.items():
        for name in scope.machines:
            gains = []
            for n in sizes:
                trials = [Trial(n, name, form, arrays=k) for k in (fewer, more)]
                before, after = makespans(trials).values()
                gains.append(ratio(before, after))
            by_n = {f"n = {n}": gain for n, gain in zip(sizes, gains, strict=True)}
            rows.append({"width": label, "machine": name, **by_n})
    helps = held(rows, "width", lambda row: min(row[f"n = {n}"] for n in sizes) > 1)
    wide = [row for row in rows if row["width"] == "8N replace 2N in the form paper"]
    columns = [f"n = {n}" for n in sizes]
    eight = [row[column] for row in wide for column in columns]
    two = [
        row[column]
        for row in rows
        if row["width"] == "2N processors replace N in the form paper"
        for column in columns
    ]
    because = (
        f"The second array makes the form paper {min(two):.3g} to {max(two):.3g} times as fast. "
        "Newton-Euler on a third one is hidden behind Step I already, or waits for messages wherever it "
        f"is. Six more for Eq. (84) gain {min(eight):.3g} to {max(eight):.3g} times; the form short, which "
        "needs no such sweep, has it for nothing."
    )
    return Finding(helps, "{}", because, (Table("Makespan of the narrower over that of the wider", rows),))
