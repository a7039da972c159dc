"""What arrays share on a GPU: how many fit a multiprocessor, and how long their operations take."""

from experiments.paper import yang_wu_pan as gpu


def test_arrays_come_in_waves_of_what_the_limits_of_nvidia_allow() -> None:
    """15 multiprocessors of 16 blocks of 10 or of 128 threads, 2,048 in all; of 12 of 129, each 160 in whole
    warps; of one of 2,048."""
    assert [gpu.waves(arrays, 10) for arrays in (1, 240, 241, 480, 481)] == [1, 1, 2, 2, 3]
    full = {128: 240, 129: 180, 2048: 15}
    assert [gpu.waves(k, nodes) for nodes, most in full.items() for k in (most, most + 1)] == [1, 2] * 3


def test_an_operation_waits_for_the_others_of_the_multiprocessor() -> None:
    """64 begin in a cycle: two blocks of a warp at once, sixteen in eight cycles; never sooner than alone."""
    assert [gpu.operation(1, 10, arrays) for arrays in (1, 2, 3, 16)] == [1, 1, 2, 8]
    assert gpu.operation(11, 33, 2) == 11
