"""A small sample of each page's data is computed again; `python -m experiments PAGE` computes all of it."""

from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np
import pytest

from experiments.machine import channels, networks
from experiments.page import DOCS, data, records
from experiments.pages import algorithms, counts
from experiments.paper import (
    divide_and_conquer,
    frontier,
    operational_space,
    schedule,
    star,
    yang_wu_pan,
)
from experiments.robot import control
from experiments.trust import accuracy
from senn import overview
from senn.studies.row import compute_row
from senn.studies.study import read

SAMPLES: dict[str, Callable[[], Iterable[str]]] = {
    "algorithms/costs": algorithms.costs,
    "channels/at-home": lambda: channels.at_home((8, 16)),
    "channels/kinds": lambda: channels.kinds((8,)),
    "control/limits": control.limits,
    "counts/cheapest": counts.cheapest,
    "counts/serial": counts.serial,
    "divide_and_conquer/kinds": divide_and_conquer.kinds,
    "divide_and_conquer/makespans": lambda: divide_and_conquer.makespans((8,)),
    "networks/graphs": lambda: networks.graphs((8, 16)),
    "networks/makespans": lambda: islice(networks.makespans((8,)), 4),
    "operational_space/programs": operational_space.programs,
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
    asked, scored = read(DOCS / "studies" / "allocations.toml").points[4], data("allocations", "alone")[5]
    found, names = compute_row(asked), ("dilation", "congestion", "congestion_in_all", "load", "word_hops")
    assert [str(found[x]) for x in (*names, "network_steps", "makespan")] == scored[2:]
    assert [asked.arguments[x] for x in ("allocation", "residency")] == scored[:2] == ["bit-reversed", "home"]


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
