"""What arrays share on a GPU: how many fit a multiprocessor, and how long their operations take."""

from experiments.paper import multiprocessor as gpu


def test_arrays_are_as_many_as_the_limits_of_nvidia_allow() -> None:
    """16 blocks of 10 or of 128 threads, 2,048 in all; 12 of 129, each 160 in whole warps; none of 2,049."""
    assert [gpu.at_once(nodes) for nodes in (10, 128, 129, 2048, 2049)] == [16, 16, 12, 1, 0]


def test_two_hundred_links_do_not_fit_a_multiprocessor() -> None:
    """9 blocks of 200 threads (seven warps each, of 64), none if a thread holds 482 words: 753 KB of them,
    where registers and shared memory together have 304."""
    assert [gpu.at_once(200), gpu.at_once(200, 482)] == [9, 0]


def test_an_operation_waits_for_the_others_of_the_multiprocessor() -> None:
    """64 begin in a cycle: two blocks of a warp at once, sixteen in eight cycles; never sooner than alone."""
    assert [gpu.operation(1, 10, arrays) for arrays in (1, 2, 3, 16)] == [1, 1, 2, 8]
    assert gpu.operation(11, 33, 2) == 11


def test_robots_come_in_waves_of_what_fits() -> None:
    """15 multiprocessors of 16 arrays: 240 in a wave."""
    assert [gpu.waves(arrays, 10) for arrays in (1, 240, 241, 480, 481)] == [1, 1, 2, 2, 3]
