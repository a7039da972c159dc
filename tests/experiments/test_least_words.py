"""The fewest words that must cross a cut of an arm: ranks by hand."""

from math import ceil

from experiments.paper.least_words import jacobian, least_words, rank, words
from senn.machine.network.named import senn as network


def test_what_a_cut_must_carry_by_hand() -> None:
    """Outward for the accelerations: angular velocity, direction of the weight, acceleration of the cut:
    3 + 2 + 6. Inward: the wrench, 6. Lambda^-1 needs C of the inner links, seen across a joint: 5 x 5."""
    slopes = jacobian(32)
    assert rank(slopes[16:32, :48]) == 3 + 2 + 6
    assert rank(slopes[:16, 48:]) == 6
    assert rank(slopes[32:, :48]) == 15
    assert words(32, 0, 16)[1] == 6


def test_two_nodes_have_a_channel_each_way_and_array() -> None:
    """26 words for 64 links, over two channels."""
    assert least_words(64, network(2)) == ceil(words(64, 0, 32)[0] / 2) == 13
