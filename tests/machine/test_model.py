"""The machine as a value: exact time, presets with sources, and what a machine file may not say."""

import pickle
import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from senn.base.errors import InputError
from senn.machine import model
from senn.machine.model import Machine, Timing, load, presets

PRESETS = Path(model.__file__).parent.parent / "presets"


FILE = """
[machine]
name = "mine"
clock_mhz = "12.5"
[timing]
flop = "0.5"
startup = 20
word = "1.25"
[source]
word = "measured on the bench"
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    return file


def test_to_a_neighbour_messages_take_what_was_measured() -> None:
    """End to end by start-up and hop: iPSC/860 75 us, or 147 + 30.5 us, Raw 3 cycles, Epiphany 14.5 there and
    back; then words.

    InfiniBand's 1.3 us are from MPI_Send to MPI_Recv, so they include post and receive.
    """
    there = ("ipsc860", 75 * 40), ("ipsc860-long", 177.5 * 40), ("raw", 3), ("epiphany", 14.5 / 2)
    for name, cycles in there:
        t = load(name).timing
        assert t.startup + t.hop == cycles
    t = load("cluster").timing
    assert t.post + t.startup + t.hop + t.receive == 1300 * 3


def test_published_rates_give_the_cycles_of_the_presets() -> None:
    """t800: 2.25 Mflops and 1.74 MB/s at 30 MHz; maspar: 0.034 Mflop/s and 23.0 GB/s / 16384 at 83 ns;
    epiphany-dma: 5,303 cycles for 3,072 numbers and 332 for two."""
    assert float(load("epiphany-dma").timing.word) == pytest.approx((5303 - 332) / 3070, abs=0.005)
    t800, maspar, ipsc860 = (load(name).timing for name in ("t800", "maspar", "ipsc860"))
    assert float(t800.multiply) == pytest.approx(30 / 2.25, abs=0.05)
    assert float(t800.word) == pytest.approx(8 / 1.74 * 30, abs=0.5)
    assert float(maspar.multiply) == pytest.approx(1 / (0.034e6 * 83e-9), abs=0.5)
    assert float(maspar.word) == pytest.approx(8 / (23.0e9 / 16384) / 83e-9, abs=0.5)
    assert float(ipsc860.word) == pytest.approx(8 / 2.8 * 40, abs=0.5)
    assert load("cluster").timing.word == Fraction(8 * 3, 25)


@pytest.mark.parametrize("name", presets())
def test_every_field_of_a_preset_has_a_source(name: str) -> None:
    """In the file itself, one text for each field and none for another, and so for the whole machine."""
    tables = tomllib.loads((PRESETS / f"{name}.toml").read_text(encoding="utf-8"))
    energies = tables["source"].pop("energy", {})
    assert set(energies) == set(tables.get("energy", {}))
    assert set(tables["source"]) == {*tables["machine"], *tables["timing"], *tables.get("unit", {})}
    assert set(tables["source"]) >= {"switching", "duplex", "dma", "hop", "post", "receive"}
    assert all(text.strip() for text in (*tables["source"].values(), *energies.values()))
    machine = load(name)
    described = machine.describe()
    charged = {f"energy.{kind}" for kind in described.pop("energy", {})}
    assert set(machine.sources) == {*described, *charged, *tables.get("unit", {})}
    assert "unverified" not in machine.sources.values()  # a bare word is what a silent file gets


def test_what_is_known_from_memory_only_is_marked() -> None:
    """Start-up and post of the old machines are defaults, never to be shown as facts."""
    for name in ("mark3", "t800", "ipsc860", "ipsc860-long"):
        for field in ("multiply", "trig", "startup", "post", "receive"):
            assert load(name).sources[field].startswith("unverified: ")
    assert not load("maspar").sources["word"].startswith("unverified")


def test_a_file_is_read_exactly(tmp_path: Path) -> None:
    """Decimal strings become fractions, flop stands for four operations, silence is a default."""
    machine = load(written(tmp_path, FILE))
    t = machine.timing
    assert (machine.clock_mhz, t.multiply, t.add, t.divide) == (Fraction(25, 2), *[Fraction(1, 2)] * 3)
    assert (t.trig, t.startup, t.word, t.post, t.receive) == (10, 20, Fraction(5, 4), 1, 0)
    said = {name: machine.sources[name] for name in ("word", "add", "trig", "startup", "ports")}
    assert said == {
        "word": "measured on the bench",
        "add": "unverified",
        "trig": "unverified: taken as 20 flop",
        "startup": "unverified",
        "ports": "default",
    }


def test_durations_are_rounded_up_once() -> None:
    """Tenths add up exactly: three times 0.1 + 0.2 is 0.9, one cycle; a float sum of ten 0.1 would be off."""
    machine = load("ideal").with_settings(
        {"timing.flop": "0.1", "timing.startup": "0.3", "timing.word": "0.1"}
    )
    assert machine.compute_cycles(10, 0, 0, 0) == 1
    assert machine.compute_cycles(3, 3, 4, 0) == 1
    assert machine.compute_cycles(3, 3, 5, 0) == 2
    assert machine.compute_cycles(0, 0, 0, 1) == 2
    assert machine.compute_cycles(0, 0, 0, 0) == 0
    assert machine.message_cycles(7) == 1
    assert machine.message_cycles(8) == 2


def test_operations_have_prices_of_their_own() -> None:
    machine = load("ideal").with_settings(
        {"timing.multiply": 2, "timing.add": 3, "timing.divide": 5, "timing.trig": 7}
    )
    assert machine.compute_cycles(1, 10, 100, 1000) == 2 + 30 + 500 + 7000


def test_settings_change_only_what_they_name() -> None:
    before = load("t800")
    after = before.with_settings(
        {"timing.word": "4", "machine.ports": "one", "machine.merge_parallel": "false"}
    )
    assert (after.timing.word, after.ports, after.merge_parallel) == (4, "one", False)
    assert (after.sources["word"], after.sources["ports"]) == ("setting", "setting")
    assert after.sources["startup"] == before.sources["startup"]
    changed = {key for key, value in after.describe().items() if value != before.describe()[key]}
    assert changed == {"word", "ports"}
    assert before == load("t800")


@pytest.mark.parametrize(
    ("hop", "word", "text"),
    [
        ("0", "1", "[timing] hop = 0: with cut-through it must be at least 1"),
        ("0.5", "1", "[timing] hop = 0.5: with cut-through it must be at least 1"),
        ("2", "0", "[timing] word = 0: with cut-through it must be above 0"),
    ],
)
def test_cut_through_needs_the_times_of_a_head_and_of_a_word(hop: str, word: str, text: str) -> None:
    """Else a message would be at both ends of a channel in one cycle; the way out is in the text. Without
    cut-through a hop has no effect."""
    with pytest.raises(InputError, match=r"\[timing\] hop = 5: .* belongs to cut-through; write switching"):
        load("t800").with_settings({"timing.hop": 5})
    cut = {"machine.switching": "cut-through", "timing.hop": hop, "timing.word": word}
    with pytest.raises(InputError, match=re.escape(text) + '.* or switching = "store-and-forward"'):
        load("t800").with_settings(cut)


def test_with_cut_through_a_channel_is_occupied_by_words_alone() -> None:
    """ceil(1.3 x 7) = 10; the start-up is paid elsewhere. Store-and-forward: ceil(3 + 9.1) = 13."""
    slow = load("fijany").with_settings({"timing.startup": 3, "timing.word": "1.3"})
    cut = slow.with_settings({"machine.switching": "cut-through", "timing.hop": 1})
    assert (slow.message_cycles(7), cut.message_cycles(7)) == (13, 10)


def test_a_free_network_has_no_times_whatever_the_switching() -> None:
    """Everything else stays."""
    cut = load("raw").with_settings(
        {"machine.switching": "cut-through", "timing.hop": 1, "machine.control": "mimd"}
    )
    free = cut.with_free_network()
    assert (free.message_cycles(100), free.timing.hop, free.control) == (0, 0, "mimd")


def test_dma_is_true_or_false() -> None:
    """On a command line, everything is text."""
    assert load("raw").with_settings({"machine.dma": "false"}).dma is False
    assert load("raw").with_settings({"machine.dma": "True"}).dma is True


def test_a_flop_setting_takes_back_no_other_setting() -> None:
    t = load("t800").with_settings({"timing.divide": "9", "timing.flop": "2"}).timing
    assert (t.multiply, t.add, t.divide, t.trig) == (2, 2, 9, 40)


def test_the_description_is_exact_and_complete() -> None:
    """Integers stay integers, fractions decimal texts that read back; thirds, which have none, are p/q."""
    described = load("t800").describe()
    assert described == {
        "name": "t800",
        "clock_mhz": 30,
        "network": "senn",
        "nodes": 0,
        "arrays_at_once": 0,
        "ports": "all",
        "duplex": "full",
        "switching": "store-and-forward",
        "dma": True,
        "vertical": "node",
        "shuffle": "both",
        "merge_parallel": False,
        "control": "simd",
        "discipline": "fifo",
        "routing": "lowest",
        "multiply": "13.3",
        "add": "13.3",
        "divide": "13.3",
        "trig": 266,
        "startup": 30,
        "word": 138,
        "hop": 0,
        "post": 1,
        "receive": 0,
    }
    small = load("t800").with_settings({"timing.word": "0.0125"})
    assert small.describe()["word"] == "0.0125"
    third = Timing(**{**vars(small.timing), "word": Fraction(1, 3)})
    assert Machine(name="thirds", clock_mhz=Fraction(1), timing=third).describe()["word"] == "1/3"


def test_a_machine_is_a_value() -> None:
    """Equal, hashable, and the same after a journey to another process of a study."""
    machine = load("raw")
    assert machine == load("raw")
    assert hash(machine) == hash(load("raw"))
    assert machine != load("ideal")
    assert pickle.loads(pickle.dumps(machine)) == machine


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("word = 0.5", '[timing] word = 0.5: write it as a string "0.5" so that it stays exact'),
        ("word = 1e-7", '[timing] word = 1e-07: write it as a string "0.0000001" so that it stays exact'),
        ("word = nan", '[timing] word = nan: write an integer or a decimal string such as "0.5"'),
        ('word = "nan"', '[timing] word = "nan": write an integer or a decimal string such as "0.5"'),
        ('word = "1/3"', '[timing] word = "1/3": write an integer or a decimal string'),
        ("word = true", "[timing] word = true: write an integer or a decimal string"),
        ("word = [1]", "[timing] word = [1]: write an integer or a decimal string"),
        ("word = -1", "[timing] word = -1: must not be negative"),
        ('word = "-0.5"', '[timing] word = "-0.5": must not be negative'),
        ("word = 1\nflop = -2", "[timing] flop = -2: must not be negative"),
        ('word = "1000000000000.5"', '[timing] word = "1000000000000.5": must not be larger than 10^12'),
        (f'word = "0.{"1" * 39}"', "[timing] word has 41 characters: write a number of at most 40"),
        ('word = 1\npost = "0.5"', '[timing] post = "0.5": write a whole number of cycles'),
        (
            "word = 1\nbeta = 1",
            "[timing] beta is not known; the fields are flop, multiply, add, divide, trig, startup, word, "
            "hop, post, receive",
        ),
        ("", "[timing] word is missing: write it"),
        ("word = ", "is not TOML: Invalid value (at line "),
    ],
)
def test_bad_timing_is_refused_by_file_table_and_field(tmp_path: Path, line: str, message: str) -> None:
    text = FILE.replace('word = "1.25"', line)
    file = written(tmp_path, text.replace('flop = "0.5"', "") if "flop" in line else text)
    with pytest.raises(InputError, match="^" + re.escape(f"{file}: {message}")):
        load(file)


def test_an_operation_without_a_price_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, FILE.replace('flop = "0.5"', "multiply = 1\nadd = 1"))
    message = f"{file}: [timing] divide is missing: write it, or flop for all operations"
    with pytest.raises(InputError, match=re.escape(message)):
        load(file)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("arrays_at_once = -1", "[machine] arrays_at_once = -1: must not be negative"),
        ('nodes = "7.5"', '[machine] nodes = "7.5": write a whole number up to 1,048,576, or 0 for as many'),
        (
            'network = "ring"\nshuffle = "forward"',
            '[machine] shuffle = "forward" belongs to the network senn or shuffle-exchange, not to ring: '
            "leave it out",
        ),
        (
            'network = "my.edges"\nmerge_parallel = true',
            "[machine] merge_parallel = true belongs to the network senn or shuffle-exchange, not to ",
        ),
        (
            'routing = "xy"',
            'routing "xy" belongs to the network mesh or torus, not to senn: choose lowest, greedy or '
            "conjugate",
        ),
        (
            'routing = "conjugate"\nshuffle = "inverse"',
            'routing "conjugate" shuffles and un-shuffles, but shuffle = "inverse": choose lowest or greedy',
        ),
        (
            "cores = 4",
            "[machine] cores is not known; the fields are name, clock_mhz, network, nodes, arrays_at_once, "
            "ports, duplex, switching, dma, vertical, shuffle, merge_parallel, control, discipline, routing",
        ),
    ],
)
def test_what_the_emulator_cannot_do_is_refused(tmp_path: Path, line: str, message: str) -> None:
    file = written(tmp_path, FILE.replace("[timing]", f"{line}\n[timing]"))
    with pytest.raises(InputError, match="^" + re.escape(f"{file}: {message}")):
        load(file)


@pytest.mark.parametrize("name", model.SUPPORTED)
def test_a_field_of_few_values_takes_no_other(name: str, tmp_path: Path) -> None:
    """Nor a number that Python holds equal to one of them."""
    choices = ", ".join(str(x).lower() if isinstance(x, bool) else f'"{x}"' for x in model.SUPPORTED[name])
    for said in ('"nothing of this kind"', "0", "1"):
        file = written(tmp_path, FILE.replace("[timing]", f"{name} = {said}\n[timing]"))
        message = f"{file}: [machine] {name} = {said} is not known; choose {choices}"
        with pytest.raises(InputError, match=f"^{re.escape(message)}"):
            load(file)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "mine"', "", "[machine] name is missing: write it"),
        ('name = "mine"', 'name = ""', "[machine] name must be a text that is not empty"),
        ('clock_mhz = "12.5"', "", "[machine] clock_mhz is missing: write it"),
        ('clock_mhz = "12.5"', "clock_mhz = 0", "[machine] clock_mhz = 0: write the clock in MHz, above 0"),
        (
            'clock_mhz = "12.5"',
            "clock_mhz = 12.5",
            '[machine] clock_mhz = 12.5: write it as a string "12.5" so that it stays exact',
        ),
        (
            "[source]",
            "[sources]",
            "sources is no table of a machine: write [machine], [timing], [energy] and",
        ),
        ("[machine]", "word = 1\n[machine]", "word is no table of a machine"),
        (
            "[source]",
            "[unit]\nunits = 2\n[source]",
            "unit is no table of a machine: write [machine], [timing]",
        ),
        ("[source]", "[source]\nbeta = 'x'", "[source] beta is not known; the fields are name, clock_mhz"),
        ("[source]", "[source]\nflop = 3", "[source] flop = 3: write a text, where it comes from"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = written(tmp_path, FILE.replace(old, new))
    with pytest.raises(InputError, match="^" + re.escape(f"{file}: {message}")):
        load(file)


@pytest.mark.parametrize("name", [name for name in model.FIELDS["timing"] if name != "hop"])
def test_every_time_is_bounded_and_the_bound_itself_is_taken(name: str) -> None:
    """At 10^12 cycles a message of 25 words still fits 64 bits; beyond, each field is refused by its name.

    A flop that large needs a trig of its own, because trig is 20 flop where nothing is said.
    """
    given = {"timing.trig": 1} if name == "flop" else {}
    machine = load("ideal").with_settings({f"timing.{name}": 10**12, **given})
    assert machine.message_cycles(25) < 2**63
    with pytest.raises(InputError, match=re.escape(f"[timing] {name} = 1000000000001: must not be larger")):
        load("ideal").with_settings({f"timing.{name}": 10**12 + 1, **given})


def test_unknown_machines_and_unreadable_files(tmp_path: Path) -> None:
    message = (
        'machine "cray" is not known: the presets are cluster, cmos45, epiphany, epiphany-dma, fijany, '
        "ideal, ipsc860, ipsc860-long, k40c, mark3, maspar, raw, t800; a file of your own ends in .toml"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        load("cray")
    with pytest.raises(InputError, match="the machine is now called fijany; paper is a form"):
        load("paper")
    missing = tmp_path / "none.toml"
    with pytest.raises(InputError, match=re.escape(f"{missing}: no such file")):
        load(missing)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=re.escape(f"{binary}: cannot be read (not a text file")):
        load(binary)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"timing.wrod": "1"}, "[timing] wrod is not known; the fields are flop, multiply"),
        ({"word": "1"}, 'setting "word" is not known: write timing.word'),
        ({"network": "torus"}, 'setting "network" is not known: write machine.network'),
        ({"wrod": "1"}, 'setting "wrod" is not known: write machine.FIELD or timing.FIELD'),
        ({"source.word": "me"}, 'setting "source.word" is not known: write machine.FIELD or timing.FIELD'),
        ({"timing.word": 0.5}, '[timing] word = 0.5: write it as a string "0.5" so that it stays exact'),
        (
            {"machine.clock_mhz": "1000000000001"},
            '[machine] clock_mhz = "1000000000001": must not be larger than 10^12',
        ),
        ({"machine.nodes": "many"}, '[machine] nodes = "many": write an integer'),
    ],
)
def test_bad_settings_are_refused_as_in_a_file(settings: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message)):
        load("ideal").with_settings(settings)


def test_network_settings_are_read_from_text() -> None:
    machine = load("ideal").with_settings(
        {"machine.nodes": "12", "machine.merge_parallel": "True", "machine.shuffle": "forward"}
    )
    assert (machine.nodes, machine.merge_parallel, machine.shuffle) == (12, True, "forward")
    network = machine.network_for(3)
    assert (network.nodes, network.shuffles) == (12, "forward")
    assert "neighbor:1-2" in network.wire
    assert "shuffle:1-2" not in network.wire
    assert load("ideal").network_for(3).nodes == 8


def test_a_graph_file_lies_beside_the_machine_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a machine file relative to its folder, as a setting relative to the working directory."""
    folder = tmp_path / "machines"
    folder.mkdir()
    (folder / "three.edges").write_text("0 1\n1 2\n2 0\n")
    (tmp_path / "two.edges").write_text("0 1\n1 0\n")
    file = written(folder, FILE.replace("[timing]", 'network = "three.edges"\n[timing]'))
    monkeypatch.chdir(tmp_path)
    assert load(file).network_for(1).nodes == 3
    assert load(Path("machines/mine.toml")).network_for(1).nodes == 3
    assert load(file).with_settings({"machine.network": "two.edges"}).network_for(1).nodes == 2


def test_the_ending_of_a_file_may_be_in_capitals(tmp_path: Path) -> None:
    file = tmp_path / "MINE.TOML"
    file.write_text(FILE)
    assert load(file).name == "mine"


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_of_thousands_of_digits_are_refused(sign: int) -> None:
    """Python writes none of them out, so no message can hold one."""
    with pytest.raises(InputError, match=r"bits: must not be larger than 10\^12"):
        load("raw").with_settings({"timing.word": sign * 10**5000})


@pytest.mark.parametrize("name", ["\x1b[31m", "x" * 201, "\u202e"])
def test_a_machine_has_a_name_that_can_be_printed(name: str) -> None:
    with pytest.raises(InputError, match=r"name = .*: write at most 200 letters that can be printed"):
        load("raw").with_settings({"machine.name": name})


# ---------------------------------------------------------------------- intervals


INTERVALS = FILE.replace("startup = 20", "startup = {value = 20, low = 5, high = 50}").replace(
    'flop = "0.5"', 'flop = {value = "0.5", low = "0.25", high = 2}\ndivide = 7'
)


def test_a_figure_may_have_an_interval(tmp_path: Path) -> None:
    """A machine is that of the values; moved, flop takes along what has no price of its own."""
    machine = load(written(tmp_path, INTERVALS))
    divided = load(written(tmp_path, FILE.replace('flop = "0.5"', 'flop = "0.5"\ndivide = 7')))
    assert machine == divided
    assert machine.bounds_of("startup") == (5, 50)
    assert machine.bounds_of("trig") == (5, 40)
    assert machine.bounds_of("divide") is machine.bounds_of("post") is None
    moved = machine.varied({"flop": Fraction(2), "startup": Fraction(5)}).timing
    assert (moved.multiply, moved.add, moved.divide, moved.trig, moved.startup) == (2, 2, 7, 40, 5)
    assert "5 to 50" in machine._repr_html_()


def test_what_is_set_has_no_interval(tmp_path: Path) -> None:
    machine = load(written(tmp_path, INTERVALS))
    assert set(machine.with_settings({"timing.startup": 6}).intervals) == {"flop"}
    assert set(machine.with_settings({"timing.add": 6}).intervals) == {"startup"}
    assert set(machine.with_settings({"machine.ports": "one"}).intervals) == {"flop", "startup"}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("{value = 20, low = 30, high = 50}", "startup: low = 30 is above value = 20"),
        ("{value = 20, low = 5, high = 10}", "startup: high = 10 is below value = 20"),
        ("{value = 20, low = 5}", "startup: write a number, or {value = ..., low = ..., high = ...}"),
        ("{value = 20, low = -5, high = 30}", "startup: low = -5: must not be negative"),
        ("{value = 20, low = 5, high = 30, most = 40}", "startup: write a number, or {value = ..., "),
    ],
)
def test_a_bad_interval_is_refused(tmp_path: Path, said: str, message: str) -> None:
    file = written(tmp_path, FILE.replace("startup = 20", f"startup = {said}"))
    with pytest.raises(InputError, match="^" + re.escape(f"{file}: [timing] {message}")):
        load(file)


def test_bounds_are_machines_too(tmp_path: Path) -> None:
    """Else a verdict would meet the refusal, far from the file."""
    cut = FILE.replace('clock_mhz = "12.5"', 'clock_mhz = 1\nswitching = "cut-through"')
    file = written(
        tmp_path, cut.replace("startup = 20", "startup = 20\nhop = {value = 2, low = 0, high = 3}")
    )
    with pytest.raises(InputError, match=r"\[timing\] hop = 0: with cut-through it must be at least 1"):
        load(file)
    wires = FILE.replace('name = "mine"', 'name = "mine"\nnodes = {value = 4, low = 2, high = 8}')
    with pytest.raises(InputError, match=r"\[machine\] nodes has no interval: write one value"):
        load(written(tmp_path, wires))
    free = FILE.replace('flop = "0.5"', "flop = {value = 0, low = 0, high = 2}")
    with pytest.raises(InputError, match=r"\[timing\] flop: value = 0 stands for several times"):
        load(written(tmp_path, free))


@pytest.mark.parametrize("name", presets())
def test_every_unverified_time_of_a_preset_has_an_interval(name: str) -> None:
    """Bounds around the value; what has a source has none but where the source gives a second figure."""
    tables = tomllib.loads((PRESETS / f"{name}.toml").read_text(encoding="utf-8"))
    for field, said in tables["timing"].items():
        if tables["source"][field].startswith("unverified"):
            assert isinstance(said, dict), field
            assert Fraction(said["low"]) < Fraction(said["high"])
