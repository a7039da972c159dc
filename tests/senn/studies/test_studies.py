"""Study files and their grids, the rows and tables of runs, and which of them is called the best."""

import inspect
import json
from dataclasses import replace

import polars as pl
import pytest

import senn
from senn.api import solving
from senn.base.errors import InputError
from senn.studies import grid as parameters
from senn.studies import row
from senn.studies import study as picture
from senn.studies.grid import Grid, points
from senn.studies.study import Picture, read
from tests.places import ROOT

HEAD = '[study]\nname = "s"\n'


def _study(folder, text, head=HEAD):
    path = folder / "s.toml"
    path.write_text(head + text)
    return read(path)


def _asked(study, *names):
    return [tuple(point.parameters.get(name) for name in names) for point in study.points]


def test_parameters_are_the_arguments_of_run():
    """An argument that is added to senn.run is a parameter at once; what is left out is said here."""
    every = inspect.signature(solving.run).parameters
    assert list(parameters.defaults()) == [
        name for name in every if name not in ("set", "values", "progress", "before", "shared", "simulate")
    ]
    assert parameters.defaults()["machine"] == "fijany"


def test_every_combination_in_order(tmp_path):
    """The product of what varies, the last fastest; the rest as `fixed` says, or as senn.run has it."""
    study = _study(
        tmp_path,
        '[fixed]\nproblem = "random:{n}"\nnumbers = false\n'
        '[vary]\nform = ["short", "paper"]\nn = [3, 2]\n"timing.word" = [4, "0.5"]\n',
    )
    assert _asked(study, "form", "n", "timing.word") == [
        (form, n, word) for form in ("short", "paper") for n in (3, 2) for word in (4, "0.5")
    ]
    assert study.varied == ("form", "n", "timing.word")
    given = study.points[1].arguments
    assert (given["problem"], given["numbers"], given["set"]) == ("random:3", False, {"timing.word": "0.5"})
    assert (given["residency"], given["refine"]) == ("migrating", 0)
    assert "n" not in given


def test_ranges_and_tables_without_quotes(tmp_path):
    """n takes the ranges of `senn steps`; timing.word without quotes is a table to TOML, and the same."""
    study = _study(tmp_path, '[fixed]\nproblem = "rods:{n}"\n[vary]\nn = "4:12"\ntiming.word = [2]\n')
    assert _asked(study, "n", "timing.word") == [(4, 2), (6, 2), (8, 2), (12, 2)]
    assert study.varied == ("n",)


def test_cases_are_crossed_with_what_varies(tmp_path):
    """Every case with all combinations; a case has the last word over `fixed`; labels are a column."""
    study = _study(
        tmp_path,
        '[fixed]\nmachine = "raw"\n[vary]\nresidency = ["home", "migrating"]\n'
        '[[cases]]\nlabel = "slow"\nmachine = "mark3"\n[[cases]]\nlabel = "wide"\ntiming.word = 9\n',
    )
    assert _asked(study, "machine", "timing.word", "residency") == [
        ("mark3", None, "home"),
        ("mark3", None, "migrating"),
        ("raw", 9, "home"),
        ("raw", 9, "migrating"),
    ]
    assert [point.label for point in study.points] == ["slow", "slow", "wide", "wide"]
    assert study.varied == ("case", "residency")
    assert study.points[0].arguments["set"] == {}


def test_cases_without_labels_are_told_apart_by_what_they_give(tmp_path):
    text = '[[cases]]\nform = "short"\n[[cases]]\nform = "omega"\nrefine = 1\n'
    assert _study(tmp_path, text).varied == ("form", "refine")


def test_files_are_found_beside_the_study(tmp_path):
    """Relative names mean files beside the study file; its rows are known by what is in them."""
    (tmp_path / "own.toml").write_text(_machine(4))
    (tmp_path / "a.csv").write_text("0,1,2,3\n")
    text = '[fixed]\nproblem = "random:4"\nmachine = "own.toml"\nallocation = "a.csv"\n'
    first = _study(tmp_path, text).points[0]
    assert first.arguments["machine"] == str(tmp_path / "own.toml")
    assert first.arguments["allocation"] == str(tmp_path / "a.csv")
    assert first.parameters["machine"] == "own.toml"
    assert _study(tmp_path, text).points[0].key == first.key
    (tmp_path / "own.toml").write_text(_machine(5))
    assert _study(tmp_path, text).points[0].key != first.key


def test_files_named_in_files_count_too(tmp_path):
    """A problem file names its robot: another robot is another run."""
    robot = ROOT / "algorithms" / "robots" / "ssrms.toml"
    (tmp_path / "arm.toml").write_text(robot.read_text())
    problem = ROOT / "algorithms" / "problems" / "ssrms.toml"
    (tmp_path / "p.toml").write_text(problem.read_text().replace('robot = "ssrms"', 'robot = "arm.toml"'))
    first = _study(tmp_path, '[fixed]\nproblem = "p.toml"\n').points[0]
    (tmp_path / "arm.toml").write_text(robot.read_text() + "\n# heavier\n")
    assert _study(tmp_path, '[fixed]\nproblem = "p.toml"\n').points[0].key != first.key


def test_several_files_and_functions_in_one_text(tmp_path):
    """One file for each array, also the same twice, and FILE.py:FUNCTION are made absolute part by part."""
    (tmp_path / "a.csv").write_text("0\n")
    (tmp_path / "t.py").write_text("")
    given = parameters.run_arguments({"allocation": "a.csv,gray,a.csv,t.py:table"}, tmp_path, "s")
    assert given["allocation"] == f"{tmp_path}/a.csv,gray,{tmp_path}/a.csv,{tmp_path}/t.py:table"


def test_a_key_is_what_was_asked_for():
    """A default that is written out is the same run, any other value is another; so is a field."""
    one = points(Grid())[0]
    assert points(Grid(fixed={"form": "paper", "machine": "fijany"}))[0].key == one.key
    others = [{"form": "short"}, {"seed": 0}, {"numbers": False}, {"timing.word": 1}]
    keys = {points(Grid(fixed=fixed))[0].key for fixed in others}
    assert len(keys | {one.key}) == 5
    # A field that another case sets leaves this one's row as it was.
    assert points(Grid(cases=[{}, {"timing.word": 1}]))[0].key == one.key


def _machine(word):
    return (
        f'[machine]\nname = "own"\nclock_mhz = 1\n[timing]\nflop = 1\nstartup = 2\nword = {word}\n'
        '[source]\nname = "a test"\n'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[vary]\nfrom = [1]\n", "vary.from is not known; the parameters are n, problem, tip, base, lock, "),
        ("[fixed]\nset = 1\n", "fixed.set is not known"),
        ("[grid]\n", "grid is not known; the keys are study, and optionally fixed, vary, cases, plot"),
        ('[study]\nname = "a/b"\n', 'study.name is "a/b"; write letters, digits and . _ + -, for a folder'),
        ("[fixed]\nform = 3\n", "fixed.form is 3; write one of paper, short, omega"),
        ('[vary]\nform = ["short", "papr"]\n', 'vary.form, number 2 is "papr"; write one of paper'),
        ("[vary]\nform = []\n", "vary.form is []; write a list of values"),
        ('[vary]\nform = "paper"\n', 'vary.form is "paper"; write a list of values'),
        ("[vary]\nrefine = [0, true]\n", "vary.refine, number 2 is true; write a whole number"),
        ("[fixed]\nstrategy = true\n", "fixed.strategy is true; write one of 1, 2"),
        ("[fixed]\nnumbers = 0\n", "fixed.numbers is 0; write true or false"),
        ('[fixed]\nseed = "1"\n', 'fixed.seed is "1"; write a whole number'),
        ("[fixed]\ntip = 1\n", "fixed.tip is 1; write a text"),
        ('[fixed]\n"timing.wrd" = 1\n', "fixed.timing.wrd is not known; the fields are timing.flop,"),
        ("[vary]\ntiming.word = [0.5]\n", 'vary.timing.word, number 1 is 0.5; write it in quotes, "0.5"'),
        ("[vary]\nn = [0]\n", "vary.n, number 1 is 0; write a whole number from 1"),
        ('[vary]\nn = "8:4"\n', 'vary.n: n "8:4": write 8,16,32 or 1:1024 or 8:64:8'),
        ("[vary]\nn = [8]\n", 'n is given and nothing depends on it; write problem = "random:{n}"'),
        ('[fixed]\nproblem = "random:{n}"\n', 'problem is "random:{n}", but there is no n; vary n,'),
        ("[vary]\nrefine = [0, 1, 0]\n", "refine has 0 twice; drop one"),
        ("[fixed]\nrefine = 1\n[vary]\nrefine = [0]\n", "refine is in vary, and in fixed or in a case as"),
        ("[[cases]]\nrefine = 1\n[vary]\nrefine = [0]\n", "refine is in vary, and in fixed or in a case"),
        ("[[cases]]\nrefine = 1\n[[cases]]\nrefine = 1\n", "case 2 asks for runs that another case has"),
        ('[[cases]]\nlabel = "a"\n[[cases]]\nrefine = 1\n', "cases: give every case a label of its own"),
        ("[[cases]]\nfrm = 1\n", "cases 1.frm is not known"),
        ('[fixed]\nmachine = "none.toml"\n', "none.toml: no such file"),
        ('[vary]\nmachine = ["fijany", "mark4"]\n', 'machine "mark4" is not known: the presets are '),
        ("[vary]\nseed = 3\n", "vary.seed is 3; write a list of values"),
        ("[vary]\nseed = [-1]\n", "number 1 is -1; write a whole number from 0 to 9223372036854775807"),
        ("[vary]\nseed = [1, 9223372036854775808]\n", "vary.seed, number 2 has more than 64 bits"),
        ("[fixed]\nproblem = " + "[" * 1500, "lists or tables are more than 64 deep"),
        ('[plot]\ny = "makespan"\n', "plot.x is missing"),
        ('[plot]\nx = "form"\ny = "beauty"\n', "plot.y: beauty is not a score; the scores are levels,"),
        ('[plot]\nx = "frm"\n', "plot: frm is not a column; the columns are "),
        (
            '[vary]\nform = ["paper", "short"]\nrefine = [0, 1]\n[plot]\nx = "form"\ncolour = []\n',
            "plot: two runs stand at form = paper in one series: what sets them apart (refine) must be in",
        ),
        ('[plot]\nx = "form"\nwhere = { refine = 1 }\n', "plot: where: no run is so"),
        (
            f"[vary]\nseed = {list(range(400))}\n" + 'refine = [0, 1]\n[plot]\nx = "refine"\n',
            "plot: 400 series; at most 24 can be told apart",
        ),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, text, message):
    with pytest.raises(InputError) as refused:
        _study(tmp_path, text, HEAD if not text.startswith("[study]") else "")
    assert str(refused.value).startswith(f"{tmp_path / 's.toml'}: ")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_study_has_a_largest_size(tmp_path):
    seeds = list(range(1000))
    with pytest.raises(InputError, match="200,000 runs; a study has at most 100,000, divide it"):
        _study(tmp_path, f"[vary]\nseed = {seeds}\nrefine = [0, 1]\nn = {list(range(1, 101))}\n")


def test_a_row_has_the_figures_of_the_run(tmp_path):
    """Every score against the tables of the same run as `senn run` keeps it."""
    fixed = {"problem": "random:{n}:seed=2", "n": 5, "machine": "raw", "timing.word": 3}
    (point,) = points(Grid(fixed=fixed))
    found = row.compute_row(point)
    kept = solving.run("random:5:seed=2", machine="raw", set={"timing.word": 3}).save(tmp_path / "run")
    messages, hops = (pl.read_parquet(kept / f"{name}.parquet") for name in ("messages", "hops"))
    instructions = pl.read_parquet(kept / "instructions.parquet")
    document = json.loads((kept / "run.json").read_text())
    expected = {
        "n": 5,
        "levels": 3,
        "nodes": 8,
        "makespan": instructions["end"].max(),
        "microseconds": instructions["end"].max() / 250,
        "instructions": instructions.height,
        "instructions_1": instructions.filter(array=1).height,
        "instructions_2": instructions.filter(array=2).height,
        "network_steps": document["schedule"]["network_steps"],
        "messages": messages.height,
        "hops": hops.height,
        "words": messages["words"].sum(),
        "word_hops": messages.join(hops.group_by("message").len(), left_on="id", right_on="message")
        .select(pl.col("words") * pl.col("len"))
        .sum()
        .item(),
        "dilation": hops["hop"].max() + 1,
        "load": 1,
        "free_network": None,
        "stall": instructions["stall"].sum(),
        "exposed_stall": instructions["exposed"].sum(),
        "in_flight": (messages["arrived"] - messages["posted"]).sum(),
        "dependency_wait": instructions["dependency_wait"].sum(),
        "hidden": document["summary"]["hidden"],
        "certificate_error": document["certificate"]["error"],
        "certificate_ok": True,
        "trace_hash": document["trace_hash"],
        "problem": "random:{n}:seed=2",
        "timing.word": 3,
        "error": None,
        "version": "0.1.0",
    }
    assert {name: found.get(name) for name in expected} == expected
    assert json.loads(json.dumps(found)) == found  # as it is kept


def test_what_goes_wrong_is_in_the_row(monkeypatch):
    """A refusal in its words, any other error with its name, another version of senn as a refusal."""
    (point,) = points(Grid(fixed={"problem": "nobody"}))
    found = row.compute_row(point)
    assert found["error"].startswith('unknown problem "nobody"')
    assert (found["problem"], "makespan" in found, row.is_fine(found)) == ("nobody", False, False)
    other = row.compute_row(replace(point, version="9.9"))["error"]
    assert other == "the study is of senn 9.9, this worker has 0.1.0; install the same"
    monkeypatch.setattr(solving, "run", lambda **arguments: 1 / 0)
    assert row.compute_row(point)["error"] == "ZeroDivisionError: division by zero"


def test_without_numbers_there_is_no_certificate():
    whole, timed = (row.compute_row(point) for point in points(Grid(vary={"numbers": [True, False]})))
    assert timed["certificate_ok"] is None
    assert row.is_fine(timed)
    assert timed["trace_hash"] == whole["trace_hash"]


def _table(scores, vary=None, **more):
    """A table of made-up rows: one for each makespan in `scores`, at 2 MHz."""
    made = points(Grid(vary=vary or {"refine": list(range(len(scores)))}))
    rows = [
        {**point.parameters, "error": None, "makespan": score, "microseconds": score and score / 2.0}
        | {name: values[k] for name, values in more.items()}
        for k, (point, score) in enumerate(zip(made, scores, strict=True))
    ]
    return row.table(made, rows)


def test_the_table_has_a_column_for_every_parameter_and_score():
    """In this order, with these types; what only one row has is null in the others."""
    made = points(Grid(cases=[{}, {"timing.word": "0.5"}], labels=["plain", "half"]))
    good = {**made[0].parameters, "error": None, "makespan": 7, "instructions_2": 3, "beauty": 2}
    found = row.table(made, [good, row.failed(made[1], "no luck")])
    asked = list(parameters.defaults())
    assert found.columns == [
        *("key", "case", "n", "timing.word"),
        *asked,
        *("levels", "nodes", "makespan", "microseconds", "instructions", "instructions_2", "network_steps"),
        *("messages", "hops", "words", "word_hops", "dilation", "congestion", "congestion_in_all", "load"),
        *("stall", "dependency_wait", "exposed_stall", "in_flight", "exposed", "hidden"),
        *(f"spent_{what}" for what in ("compute", "post", "receive", "startup", "words", "hop")),
        *("femtojoules", "free_network", "blocking"),
        *("certificate_error", "certificate_residual", "certificate_digits", "certificate_ok"),
        *("beauty", "trace_hash", "seconds", "version", "error"),
    ]
    assert found["timing.word"].to_list() == [None, "0.5"]
    assert found["makespan"].to_list() == [7, None]
    assert found["beauty"].to_list() == [2, None]
    assert found["error"].to_list() == [None, "no luck"]
    kinds = ("seed", "refine", "numbers", "tip", "makespan", "certificate_error", "beauty")
    assert [str(found[name].dtype) for name in kinds] == [
        *("Int64", "Int64", "Boolean", "String", "Int64", "Float64", "Int64")
    ]


def test_the_best_solve_the_same_problem():
    """By hand: least of each problem; no best where all are equal, alone, or failed."""
    vary = {"problem": ["a", "b", "c"], "refine": [0, 1, 2]}
    found = _table([5, 3, 4, 7, 7, 7, 2, 1, 9], vary, certificate_ok=[True] * 7 + [False, None])
    assert row.best(found)["makespan"] == [
        *(False, True, False),  # a
        *(False, False, False),  # b: all the same
        *(True, False, False),  # c: the second has the wrong answer
    ]


def test_answers_to_different_questions_are_not_compared():
    """Torques are no quicker accelerations, nor is an arm whose contact is left out one that is held."""
    names = ["closed-chain", "divide-and-conquer", "open-chain", "hybrid", "inverse-dynamics"]
    found = _table([9, 8, 7, 6, 1], {"algorithm": names})
    assert row.best(found)["makespan"] == [False, True, False, True, False]


def test_cycles_of_different_clocks_are_not_compared():
    """20 cycles at 2 MHz are worse than 30 at 10 MHz; as cycles they have no common measure."""
    found = _table([20, 30, 22], microseconds=[10.0, 3.0, 11.0])
    assert row.best(found)["makespan"] == [True, False, False]  # of the two at 2 MHz
    assert row.best(found)["microseconds"] == [False, True, False]


def test_the_table_for_people_has_the_best_in_bold():
    text = row.markdown(_table([12000, 9000]), ["refine"])
    assert text == (
        "| refine | makespan | microseconds |\n| --- | --: | --: |\n"
        "| 0 | 12,000 | 6,000.0 |\n| 1 | **9,000** | **4,500.0** |\n"
    )


@pytest.mark.parametrize(
    ("vary", "expected"),
    [
        ({"form": ["paper", "short"], "problem": ["a:{n}"], "n": [2, 4]}, Picture("n", colour=("form",))),
        ({"form": ["paper", "short"], "timing.word": [1, 4]}, Picture("timing.word", colour=("form",))),
        ({"form": ["paper", "short"], "engine": ["events", "lockstep"]}, Picture("form", colour=("engine",))),
        ({}, Picture("problem", colour=())),
    ],
)
def test_the_picture_suits_what_varies(vary, expected):
    """Over n if n varies, else over numbers, else over words; the rest sets the series apart."""
    grid = Grid(vary=vary)
    assert picture.suiting(grid.varied, row.of_parameters(points(grid))) == expected


def test_a_picture_of_some_runs(tmp_path):
    """`where` chooses, and what it fixes need not be in colour; fields are compared as they are written."""
    study = _study(
        tmp_path,
        '[fixed]\nproblem = "random:{n}"\n'
        '[vary]\nn = [2, 3]\nform = ["paper", "short"]\ntiming.word = [4, "0.5"]\n'
        '[plot]\nx = "n"\nwhere = { "timing.word" = 4 }\n',
    )
    assert study.picture == Picture("n", "makespan", ("form",), {"timing.word": 4})
    rows = [{**point.parameters, "error": None, "makespan": k} for k, point in enumerate(study.points)]
    ax = picture.drawn(study.picture, row.table(study.points, rows), "s")
    drawn = [list(line.get_ydata()) for line in ax.lines]
    assert drawn == [[0, 4], [2, 6]]
    assert ax.get_legend().get_title().get_text() == "s, timing.word 4"


def test_compare_from_python():
    """One value or a list for every name; the rows are those of senn.run."""
    seen = []
    asked = {"problem": "random:2", "residency": ["home", "migrating"], "timing.word": [1, 9]}
    found = senn.compare(asked, progress=seen.append)
    assert found.select("residency", "timing.word").rows() == [
        *(("home", 1), ("home", 9), ("migrating", 1), ("migrating", 9))
    ]
    expected = solving.run("random:2", set={"timing.word": 9})
    assert found["trace_hash"][3] == expected.trace.hash
    assert [one["makespan"] for one in seen] == found["makespan"].to_list()
