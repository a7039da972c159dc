"""Other networks, and other control."""

from __future__ import annotations

from typing import NamedTuple

from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table, held
from senn.experiments.measuring import Trial, makespans, placed, ratio

OPTIMAL_NETWORK = Claim(
    name="senn-optimal",
    place="VI.D",
    says="The SENN is optimal for the implementation of the parallel algorithm.",
    experiment=(
        "The form paper on SENN, data migrating, and on other networks with their own routing and "
        "allocation, data at home: makespan and network steps, n up to 128."
    ),
    rule=(
        "It holds against a network that is, at the largest n, on no machine faster by more than a hundredth."
    ),
    examine=lambda scope: _networks(scope),
)

MIMD = Claim(
    name="mimd-suitable",
    place="VI.E",
    says=(
        "The large grain size, the overlapping and the low level of communication make the algorithm highly "
        "suitable for implementation on MIMD architectures such as Hypercube."
    ),
    experiment=(
        "The form paper with a control unit in every node on the hypercube (data at home, Gray code), and "
        "with one for each array on SENN (data migrating); n up to 32."
    ),
    rule="Suitable: on no machine and at no n slower than the SIMD arrays on SENN.",
    examine=lambda scope: _mimd(scope),
)

_LARGEST, _LARGEST_MIMD = 128, 32


class Network(NamedTuple):
    """How data are best kept on a network."""

    settings: tuple[tuple[str, str], ...]
    allocation: str = "identity"
    degree: str = "4"


def _of(network: str, routing: str = "lowest") -> tuple[tuple[str, str], ...]:
    return (("machine.network", network), ("machine.routing", routing))


OTHERS = {
    "SENN at home": Network(()),
    "shuffle-exchange": Network(_of("shuffle-exchange", "greedy"), degree="3"),
    "ring": Network(_of("ring"), degree="2"),
    "mesh": Network(_of("mesh", "xy"), "snake"),
    "torus": Network(_of("torus", "xy")),
    "hypercube": Network(_of("hypercube", "e-cube"), "gray", "log2 n"),
    "full": Network(_of("full"), degree="n - 1"),
}


def _networks(scope: Scope) -> Finding:
    sizes = [n for n in scope.few if n <= _LARGEST]
    rows: list[Row] = []
    steps: list[Row] = []
    for label, one in OTHERS.items():
        for name in scope.machines:
            gains = {}
            for n in sizes:
                senn = Trial(n, name)
                other = Trial(n, name, residency="home", allocation=one.allocation, settings=one.settings)
                found = makespans([senn, other])
                gains[f"n = {n}"] = ratio(found[other], found[senn])
            rows.append({"network": label, "degree": one.degree, "machine": name, **gains})
        home = [
            Trial(n, scope.machines[0], residency="home", allocation=one.allocation, settings=one.settings)
            for n in sizes
        ]
        steps.append({"network": label, **{f"n = {at.n}": placed(at).network_steps() for at in home}})
    migrating = {f"n = {n}": placed(Trial(n, scope.machines[0])).network_steps() for n in sizes}
    steps.insert(0, {"network": "SENN, migrating", **migrating})
    last = f"n = {sizes[-1]}"
    loses = held(rows, "network", lambda row: row[last] >= 0.99)
    best = min(rows, key=lambda row: row[last])
    because = (
        f"At n = {sizes[-1]} the closest network is {best['network']} on {best['machine']}: {best[last]} "
        "times the makespan of SENN. Networks of degree 4 and less are slower wherever messages cost "
        "anything; the hypercube and the full network have partners nearby at every level without moving "
        "data, for more wires."
    )
    figures = (
        Table("Makespan on another network, data at home, over that on SENN, migrating", rows),
        Table("Network steps of the form paper", steps),
    )
    return Finding(loses, "compared with {}", because, figures)


def _mimd(scope: Scope) -> Finding:
    cube = OTHERS["hypercube"]
    rows: list[Row] = []
    for name in scope.machines:
        for n in scope.few:
            if n > _LARGEST_MIMD:
                continue
            senn = [Trial(n, name, settings=(_control(kind),)) for kind in ("simd", "mimd")]
            hypercube = [
                Trial(
                    n,
                    name,
                    residency="home",
                    allocation=cube.allocation,
                    settings=(*cube.settings, _control(kind)),
                )
                for kind in ("simd", "mimd")
            ]
            taken = list(makespans([*senn, *hypercube]).values())
            titles = ("SENN, SIMD", "SENN, MIMD", "hypercube, SIMD", "hypercube, MIMD")
            rows.append(
                {
                    "machine": name,
                    "n": n,
                    **dict(zip(titles, taken, strict=True)),
                    "last/first": ratio(taken[3], taken[0]),
                }
            )
    suitable = held(rows, "machine", lambda row: row["hypercube, MIMD"] <= row["SENN, SIMD"])
    shares = [row["last/first"] for row in rows]
    alone = [row["SENN, MIMD"] / row["SENN, SIMD"] for row in rows]
    because = (
        f"It takes {min(shares):.3g} to {max(shares):.3g} times as long. A node of its own control spends "
        "no cycle on what it is masked in, and the ends of the arm have less to do; that alone, on SENN, "
        f"makes the time {min(alone):.3g} to {max(alone):.3g} of that under SIMD."
    )
    return Finding(suitable, "the machine is {}", because, (Table("Makespan, cycles", rows),))


def _control(kind: str) -> tuple[str, str]:
    return ("machine.control", kind)
