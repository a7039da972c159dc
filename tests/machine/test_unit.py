"""What arrays share: how many fit a unit, and how long an operation takes when all of them execute one."""

from pathlib import Path

import pytest

from senn.base.errors import InputError
from senn.machine.model import Unit, load

FIGURES = {
    "units": 2,
    "most_arrays": 4,
    "most_nodes": 128,
    "together": 32,
    "memory": 1000,
    "registers": 1024,
    "registers_of_node": 12,
    "issue": 32,
    "launch": 5,
    "copy": 7,
    "copied_word": 1,
    "host_flop": 3,
}
UNIT = Unit(**FIGURES)


def written(folder: Path, unit: dict[str, object]) -> Path:
    lines = ["[machine]", 'name = "mine"', "clock_mhz = 1", 'network = "full"', "[timing]", "flop = 1"]
    lines += ["startup = 1", "word = 1", "[unit]", *(f"{name} = {figure}" for name, figure in unit.items())]
    file = folder / "mine.toml"
    file.write_text("\n".join(lines))
    return file


def test_small_arrays_are_as_many_as_the_unit_takes() -> None:
    """Four at most, and 128 nodes in groups of 32: 10 take 32, 33 take 64, 129 do not fit."""
    assert [UNIT.at_once(nodes, 0) for nodes in (1, 10, 32, 33, 128, 129)] == [4, 4, 4, 2, 1, 0]


def test_what_a_node_holds_is_in_its_registers_and_then_in_the_memory() -> None:
    """Ten nodes. Four arrays take 128 places, 8 registers each, and (20 - 8) * 10 words of memory, 480 of
    1000 in all; of 40 words only three fit: 10 registers each, 900. With 112 words one array alone: 12
    registers, 1000 words."""
    assert [UNIT.at_once(10, words) for words in (8, 20, 33, 40, 43, 112, 113)] == [4, 4, 4, 3, 3, 1, 0]


def test_an_operation_waits_for_the_others_of_the_unit() -> None:
    """32 begin in a cycle: those of one array at once, of three in three; never sooner than alone."""
    assert [UNIT.operation(1, 10, arrays) for arrays in (1, 3, 4)] == [1, 3, 4]
    assert UNIT.operation(11, 33, 2) == 11


def test_robots_come_in_waves_of_what_fits(tmp_path: Path) -> None:
    """Two units of three arrays: 6 in a wave; what does not fit at all is refused by name."""
    machine = load(written(tmp_path, FIGURES))
    assert machine.unit == UNIT
    assert [machine.waves(arrays, 10, 40) for arrays in (1, 6, 7)] == [1, 1, 2]
    assert machine.with_settings({"machine.arrays_at_once": 5}).waves(6, 10, 40) == 2
    with pytest.raises(InputError, match="machine mine: no unit has room for an array of 129 nodes"):
        machine.waves(1, 129)


def test_two_hundred_links_do_not_fit_a_multiprocessor() -> None:
    """The K40c: 16 blocks of 10 threads, 9 of 200 (seven warps each, of 64), none if a thread holds 482
    words: 753 KB of them, where registers and shared memory together have 304."""
    unit = load("k40c").unit
    assert unit is not None
    assert [unit.at_once(10, 0), unit.at_once(200, 0), unit.at_once(200, 482)] == [16, 9, 0]


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ({**FIGURES, "memory": 0}, "[unit] memory = 0: write a whole number above 0"),
        ({**FIGURES, "memory": '"1.5"'}, '[unit] memory = "1.5": write a whole number above 0'),
        ({"units": 2}, "[unit] most_arrays is missing: write it, or leave [unit] out"),
        ({**FIGURES, "cores": 3}, "[unit] cores is not known; the fields are units, most_arrays, most_nodes"),
    ],
)
def test_a_file_with_a_wrong_unit_is_refused(tmp_path: Path, unit: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as error:
        load(written(tmp_path, unit))
    assert said in str(error.value)
