"""Figures of statements.csv for papers other than Fijany's of 1993.

*Operational space* is Fijany's paper on the operational space mass matrix; Jain, and Yang, Wu and Pan have
one paper each.
"""

import numpy as np

import senn
from experiments.page import data, order
from experiments.paper.operational_space import bent, error
from senn.algorithms import problems
from senn.algorithms.blocks import full
from senn.algorithms.catalogue import ALGORITHMS
from senn.algorithms.family.arm import arm_of
from senn.algorithms.family.pages import PAGES
from senn.algorithms.family.sweeps import hinges
from senn.algorithms.robots.chain import tip_inverse_inertia
from tests.oracles import dense, rolling_ball, spans, two_ports

LONG = problems.free(problems.load("random:64:seed=1"))

# ------------------------------------------------------------------------ operational space


def one_right_side() -> str:
    """Lambda^-1 against Lambda^-1 times a vector: swept as printed, and off the last pivot."""
    names = ("lambda-inverse", "lambda-inverse-times")
    placed = [senn.placed(ALGORITHMS[name].program(64, form="paper")) for name in names]
    matrix, vector = (senn.timed(each, "mark3").summary["makespan"] for each in placed)
    pages = (PAGES[f"lambda_inverse{ending}_constraint_force"] for ending in ("", "_times"))
    whole, product = (page.operations(64).flops for page in pages)
    return (
        f"n = 64, by a parallel sweep: {matrix / vector:.2f} times the cycles of mark3 for the matrix, "
        f"{placed[0].network_steps()} network steps against {placed[1].network_steps()}; serially, off the "
        f"last pivot: {whole / product - 1:.1%} more operations, {whole - product} for any n"
    )


def sequential_lambda() -> str:
    """The recursion from the base against a scan and against J M^-1 J'."""
    serial = spans.from_the_base(LONG)
    ports = zip(*two_ports.two_ports(two_ports.links(LONG)), strict=True)
    scanned, levels, _ = spans.doubled(list(ports), two_ports.star)
    worst = max(error(span[2], C) for span, C in zip(scanned, serial, strict=True))
    return (
        f"a step outward from the base is a star product: {levels} levels give Lambda^-1 of links 1..i for "
        f"all {len(serial)} i, with differences of {order(worst)}; error of the last against J M^-1 J' "
        f"{order(error(serial[-1], dense.solve(LONG).lambda_inverse))}"
    )


def serial_lambda() -> str:
    """Operations a link: by constraint forces, by articulated bodies and a wrench, and carried as Lambda."""
    pages = (PAGES[f"lambda_inverse_{name}"] for name in ("constraint_force", "articulated"))
    forces, bodies = (page.operations(9).flops - page.operations(8).flops for page in pages)
    carried = spans.articulated(9) - spans.articulated(8)
    digits = error(spans.carried_outward(LONG), np.linalg.inv(dense.solve(LONG).lambda_inverse))
    return (
        f"operations a link: {forces} by constraint forces, {bodies} by lambda-inverse-articulated, "
        f"{carried} by articulated inertias outward from the base, which are Lambda from link 6 on (error "
        f"{order(digits)} at n = 64): {forces / carried:.2f} times"
    )


def two_conditions() -> str:
    """Determinants of Y and of Lambda^-1 as a snake straightens."""
    arms = [bent(angle) for angle in (1.0, 1e-1, 1e-2)]
    y = [spans.determinant_of_y(arm) for arm in arms]
    inverses = (np.linalg.det(dense.solve(arm).lambda_inverse) for arm in arms)
    aims = [x / np.linalg.det(tip_inverse_inertia(arm.chain)) for x, arm in zip(inverses, arms, strict=True)]
    worst = max(abs(a / b - 1) for a, b in zip(y, aims, strict=True))
    return (
        f"one condition, not two: det Y / det A = det Lambda^-1 / det D. Straightened from 1 to 0.01 rad, "
        f"snake:9 takes both from {order(y[0])} to {order(y[-1])} (relative differences {order(worst)})"
    )


# ------------------------------------------------------------------------------------- Jain


def nonholonomic() -> str:
    """The ball on a turntable by three programs."""
    ball, names = rolling_ball.problem(), ("closed-chain", "star", "divide-and-conquer")
    found = (senn.run(ball, algorithm=name, machine="raw").result["qdd"][3:] for name in names)
    worst = max(error(x, rolling_ball.acceleration(ball)) for x in found)
    return (
        "a ball that rolls on a turntable, 5 coordinates and 3 rates, as a free joint with a contact that "
        f"prescribes the acceleration of rolling: 2/7 Omega x v, error {order(worst)} by {', '.join(names)}. "
        "It is not a joint type here"
    )


def decoupled() -> str:
    """Composite bodies by a scan, and the price of R."""
    M, levels = spans.composite(LONG)
    euler, bodies = (
        PAGES[f"inverse_dynamics_{x}"].operations(64).flops for x in ("newton_euler", "composite")
    )
    return (
        f"y waits for R alone, alpha for nothing. R is a scan: {levels} levels for 64 links, and as many for "
        f"the columns of M (error {order(error(M, dense.mass_matrix(LONG.chain, LONG.q)))}). But with R "
        f"inverse dynamics takes {bodies / euler:.2f} times the operations of Newton-Euler"
    )


def dominant() -> str:
    """Arms whose M is diagonally dominant."""
    robots = [name for name in ("ssrms", "station25", "ur5", "snake:7") if spans.dominant(name)]
    arms = {n: [f"random:{n}:seed={seed}" for seed in range(100)] for n in (2, 3, 4, 6)}
    texts = ", ".join(f"{sum(map(spans.dominant, names))} with {n} joints" for n, names in arms.items())
    return f"of 100 random arms {texts}; of ssrms, station25, ur5 and snake:7 {len(robots)}"


def filtering() -> str:
    """Variances of the outputs whose covariance M is, and inertias by a scan."""
    joints = hinges(arm_of(LONG))
    D = np.array([1.0 / joint.factor[0] for joint in joints])
    aim = spans.conditional_variances(dense.mass_matrix(LONG.chain, LONG.q))
    J = two_ports.scans(two_ports.two_ports(two_ports.links(LONG)))[1][1]
    worst = max(error(x, full(joint.projected())) for x, joint in zip(J, joints, strict=True))
    return (
        f"n = 64: D is the variance of each output, those beyond known, if M is their covariance (error "
        f"{order(error(D, aim))}). Filters run in parallel by the star product, and its scan gives all P+ "
        f"(differences of {order(worst)})"
    )


# ----------------------------------------------------------------------------- Yang, Wu, Pan


def recursion() -> str:
    """Microseconds of 500 and of 1,000 links, as yang_wu_pan.md has them."""
    titles, *_, fewer, more = data("yang_wu_pan", "links")
    at = [titles.index(name) for name in ("star", "hybrid ABIA", "CFA")]
    star, hybrid, cfa = (float(more[k]) for k in at)
    steps = [float(more[k]) - float(fewer[k]) for k in at]
    return (
        f"k40c, 1,000 links: star {star:,.1f} us, hybrid {hybrid:,.1f}, CFA {cfa:,.1f}; from 500 links on "
        f"star takes {steps[0]:,.1f} us more, the hybrid {steps[1]:,.1f}"
    )


def tree_scans() -> str:
    """Levels and products of both scans."""
    (_, deep, few), (_, flat, many) = (scan(range(1024), max) for scan in (spans.by_tree, spans.doubled))
    return (
        f"1,024 members: {deep} levels and {few:,} products by a tree, {flat} and {many:,} by doubling, "
        "which is shorter if every member has a processor"
    )


def upper_blocks() -> str:
    """Singular upper blocks of A."""
    robots = {name: spans.singular_blocks(name) for name in ("ssrms", "station25", "ur5")}
    texts = ", ".join(f"{sum(blocks)} of {len(blocks)} of {name}" for name, blocks in robots.items())
    drawn = [x for seed in range(20) for x in spans.singular_blocks(f"random:16:seed={seed}")]
    return (
        f"singular are {texts}: link i, turned by its joint alone, needs no moment about the next axis. Of "
        f"20 random arms of 16 links {sum(drawn)} of {len(drawn)}"
    )


def diagonal_blocks() -> str:
    """The smallest eigenvalue of a diagonal block at any level, over that of A."""
    names = ("ssrms", "ur5", "random:16", "rods:16:slenderness=0.01")
    texts = ", ".join(f"{spans.least_eigenvalue(name):.2f} ({name})" for name in names)
    return f"and stay so: the least eigenvalue of one at any level is that of A times {texts}"


def figure_1() -> str:
    """The pattern of A in odd-even elimination, n = 8."""
    *before, after = (len(upper) for _, upper in spans.levels_of("random:8"))
    blocks = ", ".join(map(str, before))
    return (
        f"upper blocks at the start of each iteration {blocks}, in the end {after}, as its text has it; the "
        "text that we have shows no pictures, so (a) to (c) remain untried"
    )


OF_OTHERS = (
    *(one_right_side, sequential_lambda, serial_lambda, two_conditions, nonholonomic, decoupled, dominant),
    *(filtering, tree_scans, recursion, upper_blocks, figure_1, diagonal_blocks),
)
