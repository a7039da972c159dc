"""A small sample of each page's data is computed again; `python -m experiments PAGE` computes all of it."""

from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np
import pytest

from experiments.machine import allocations, channels, networks
from experiments.page import data, records
from experiments.pages import algorithms, counts, parallel_counts, programs
from experiments.paper import (
    divide_and_conquer,
    frontier,
    operational_space,
    schedule,
    star,
    yang_wu_pan,
)
from experiments.robot import branches, control, joints
from experiments.trust import accuracy
from senn import overview

CLOSED = "closed chain, form short, odd-even elimination, strategy 2"
SAMPLES: dict[str, Callable[[], Iterable[str]]] = {
    "algorithms/costs": algorithms.costs,
    "branches/operations": lambda: branches.operations((0, 1, 8)),
    "branches/lengths": lambda: branches.lengths((2,)),
    "channels/at-home": lambda: channels.at_home((8, 16)),
    "channels/kinds": lambda: channels.kinds((8,)),
    "control/limits": control.limits,
    "counts/cheapest": counts.cheapest,
    "counts/serial": counts.serial,
    "divide_and_conquer/kinds": divide_and_conquer.kinds,
    "divide_and_conquer/makespans": lambda: divide_and_conquer.makespans((8,)),
    "joints/costs": lambda: joints.costs((8,)),
    "joints/levels": joints.levels,
    "networks/graphs": lambda: networks.graphs((8, 16)),
    "networks/makespans": lambda: islice(networks.makespans((8,)), 4),
    "operational_space/programs": operational_space.programs,
    "parallel_counts/totals": lambda: parallel_counts.totals((CLOSED, "divide and conquer")),
    "programs/variants": programs.variants,
    "schedule/counts": schedule.counts,
    "schedule/laws": schedule.laws,
    "star/makespans": lambda: star.makespans((4,)),
    "yang_wu_pan/few": lambda: yang_wu_pan.of_many(10, yang_wu_pan.GROUPS),
    "yang_wu_pan/links": lambda: yang_wu_pan.of_sizes((10, 20)),
}
"""Rows of Markdown, head included, all of them quickly made."""


@pytest.mark.parametrize("table", SAMPLES)
def test_sample_is_in_the_data(table: str) -> None:
    """Every row begins one of the file, which may have more columns, for more sizes."""
    head, *measured = records(SAMPLES[table]())
    kept_head, *kept = data(*table.split("/"))
    assert head == kept_head[: len(head)]
    assert measured
    assert all(any(row == line[: len(row)] for line in kept) for row in measured)


def test_points_of_frontier_and_scores_of_allocations_are_in_the_data() -> None:
    """Two pages whose rows are made of measured values."""
    point = frontier.point("star", 8, 4)
    cycles = [str(point.cycles[x]) for x in (*frontier.AXES, *frontier.MACHINES)]
    assert ["star", "8", "4", *cycles] in data("frontier", "programs")
    scored = records(allocations.measured(64, [("bit-reversed", "home")]))
    assert all(row in data("allocations", "alone") for row in scored)


def test_accuracy_measures_what_its_data_have() -> None:
    """The first row, to a power of ten: rounding is another processor's."""
    head, found = records(islice(accuracy.places(), 3))
    kept_head, kept, *_ = data("accuracy", "places")
    assert (head, found[:3]) == (kept_head, kept[:3])
    for one, other in zip(found[3:], kept[3:], strict=True):
        assert np.allclose(np.log10(accuracy.orders(one)), np.log10(accuracy.orders(other)), atol=1.1)


def test_every_algorithm_has_a_row_of_errors_and_none_failed() -> None:
    """In worked.csv."""
    _, *rows = data("algorithms", "worked")
    assert not any("FAILED" in row for row in rows)
    assert [row[0] for row in rows] == list(overview.catalogue())
