"""Section VI.B: who computes a term, and which rows are pivots."""

from __future__ import annotations

from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table, held
from senn.experiments.measuring import ELIMINATION, REDUCTION, Trial, program, ratio, survey, work

STRATEGY = Claim(
    name="strategy-two",
    place="VI.B",
    says=(
        "The second strategy not only leads to a greater computational efficiency but, more importantly, it "
        "also provides a high degree of overlapping between the computation and the communication."
    ),
    experiment=(
        "The form paper with strategy 2 (the owner of an inverse computes what needs it) and with "
        "strategy 1 (the owner of a row does), data migrating: operations of an interior process, cycles "
        "of array 1 exposed in Step I.b, makespan."
    ),
    rule=(
        "Computation: strategy 2 needs fewer operations in Step I.b at every n. Overlap, by machine: it "
        "exposes no more cycles in Step I.b at any n, and less at some."
    ),
    examine=lambda scope: _strategies(scope),
)

PIVOTS = Claim(
    name="elimination",
    place="VI.B",
    says=(
        "Odd-even elimination, while less efficient than odd-even reduction for serial computation, provides "
        "additional parallelism in both computation and communication."
    ),
    experiment=(
        "Both eliminations in the forms paper and short, data migrating: operations that all lanes execute, "
        "instructions, messages, makespan."
    ),
    rule=(
        "At an n: reduction executes fewer operations and elimination has the shorter makespan, in both "
        "forms and on every machine."
    ),
    examine=lambda scope: _pivots(scope),
)

FORMS = ("paper", "short")


def _strategies(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name in scope.machines:
        for n in scope.few:
            two, one = (Trial(n, name, strategy=strategy) for strategy in (2, 1))
            found = survey([two, one])
            rows.append(
                {
                    "machine": name,
                    "n": n,
                    "exposed, 2": found[two].exposed("I.b"),
                    "exposed, 1": found[one].exposed("I.b"),
                    "makespan, 2": found[two].makespan,
                    "makespan, 1": found[one].makespan,
                    "1/2": ratio(found[one].makespan, found[two].makespan),
                }
            )
    counted = [_operations(n) for n in scope.few]
    cases = {"operations": all(row["strategy 2"] < row["strategy 1"] for row in counted)}
    for name, hides in held(rows, "machine", lambda row: row["exposed, 2"] <= row["exposed, 1"]).items():
        own = [row for row in rows if row["machine"] == name]
        if any(row["exposed, 1"] for row in own):
            less = any(row["exposed, 2"] < row["exposed, 1"] for row in own)
            cases[f"exposed cycles on {name}"] = hides and less
    gains = [row["1/2"] for row in rows]
    more = counted[-1]["strategy 1"] - counted[-1]["strategy 2"]
    because = (
        f"Strategy 1 factors two blocks where strategy 2 factors one: {more:,} operations more at n = "
        f"{scope.few[-1]}, {ratio(100 * more, counted[-1]['strategy 2'])} %. And it waits for 80 words "
        f"before a level can begin. In the makespan the advantage of strategy 2 is {min(gains):.3g} to "
        f"{max(gains):.3g}: where array 2 ends last it is nothing."
    )
    figures = (
        Table("Operations of an interior process in Step I.b", counted),
        Table("Cycles exposed in Step I.b, and makespan, by strategy", rows),
    )
    return Finding(cases, "{} are counted", because, figures)


def _operations(n: int) -> Row:
    by_strategy = {f"strategy {k}": work(program(Trial(n, strategy=k)), 1, "I.b").flops for k in (2, 1)}
    return {"n": n, **by_strategy}


def _pivots(scope: Scope) -> Finding:
    rows: list[Row] = []
    for form in FORMS:
        for name in scope.machines:
            for n in scope.few:
                whole, half = (Trial(n, name, form, elimination=kind) for kind in (ELIMINATION, REDUCTION))
                found = survey([whole, half])
                rows.append(
                    {
                        "form": form,
                        "machine": name,
                        "n": n,
                        "operations, elimination": found[whole].flops,
                        "operations, reduction": found[half].flops,
                        "makespan, elimination": found[whole].makespan,
                        "makespan, reduction": found[half].makespan,
                        "reduction/elimination": ratio(found[half].makespan, found[whole].makespan),
                    }
                )
    cases = held(
        rows,
        "n",
        lambda row: (
            row["operations, reduction"] < row["operations, elimination"]
            and row["makespan, elimination"] < row["makespan, reduction"]
        ),
    )
    last = rows[-1]
    saved = ratio(last["operations, elimination"], last["operations, reduction"])
    gains = {form: [row["reduction/elimination"] for row in rows if row["form"] == form] for form in FORMS}
    because = (
        f"Reduction executes {saved} times fewer operations at n = {last['n']}, but an array is as slow as "
        "its one active lane, and the solution has to go back through all levels. Its makespan is "
        f"{min(gains['short']):.3g} to {max(gains['short']):.3g} times that of elimination in the form "
        f"short, {min(gains['paper']):.3g} to {max(gains['paper']):.3g} times in the form paper, where "
        "Theta needs no way back."
    )
    return Finding(cases, "n is {}", because, (Table("Data migrating", rows),))
