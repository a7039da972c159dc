"""`senn.run` with detail summary by classes of channels: the folder that the lockstep engine leaves."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms.programs import variants
from senn.machine.engines import classes
from senn.machine.program import PR1, Compute, Program, Resident, Send, i, value
from senn.machine.program.ready import plus


def _files(folder: Path, **choices: Any) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The sealed files of a run folder but run.json and the seal, and run.json as text, with its engine."""
    senn.run(**choices).save(folder)
    files = {file.name: file.read_bytes() for file in folder.iterdir() if file.name != "SHA256SUMS"}
    text = files.pop("run.json").decode()
    return files, {"engine": json.loads(text)["engine"], "text": text}


def _compare(monkeypatch: pytest.MonkeyPatch, place: Path, **choices: Any) -> None:
    """Both engines leave the same bytes but the name of the engine."""
    files, document = _files(place / "classes", detail="summary", **choices)
    monkeypatch.setattr(classes, "fits", lambda program, machine: False)
    other_files, other = _files(place / "lockstep", detail="summary", **choices)
    assert (document["engine"], other["engine"]) == ("classes", "lockstep")
    assert document["text"] == other["text"].replace('"engine": "lockstep"', '"engine": "classes"')
    assert files == other_files


@pytest.mark.fast("2-short-oer", "8-paper-oee", "13-omega-oer", "64-short-oee")
@pytest.mark.parametrize("elimination", variants.ELIMINATIONS)
@pytest.mark.parametrize("form", variants.FORMS)
@pytest.mark.parametrize("n", [2, 8, 13, 64])
def test_folders_of_both_engines_are_equal(
    n: int, form: str, elimination: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With the numbers to the bit, and the certificate."""
    options = {"form": form, "elimination": elimination, "machine": ("fijany", "t800")[n % 4 == 0]}
    _compare(monkeypatch, tmp_path, problem=f"random:{n}", **options)


@pytest.mark.parametrize(
    "options",
    [
        {"problem": "ssrms_payload", "precision": "single", "refine": 1, "arrays": 3},
        {"problem": "joints:FRSPRRSC", "seed": 4, "form": "short", "contact": "plane"},
        {"problem": "random:11", "algorithm": "divide-and-conquer", "arrays": 1},
        {"problem": "random:11", "algorithm": "inverse-dynamics", "numbers": False},
        {"problem": "random:6", "values": True, "seed": 3, "against": "sums"},
    ],
)
def test_folders_of_other_problems_are_equal(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _compare(monkeypatch, tmp_path, **options)


def test_folders_of_a_program_of_your_own_are_equal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """x of each process with that of its left neighbour."""

    def sums(n: int) -> Program:
        x, y = value("x", 1), value("y", 1)
        lines = (Send("S.1", x, PR1[i + 1]), Compute("S.2", y, plus(x, x[i - 1].or_zero)))
        return Program("sums", n, (lines,), (Resident(x, (1,)),), {"y": (1, y)})

    given = {"x": np.arange(8.0).reshape(8, 1)}
    _compare(monkeypatch, tmp_path, problem=sums, given=given, machine="mark3")
    assert senn.run(sums, given=given, detail="summary").result["y"].ravel().tolist() == [0, *range(1, 15, 2)]


@pytest.mark.parametrize(
    "option",
    [
        {"detail": "instructions"},
        {"allocation": "gray"},
        {"residency": "home"},
        {"engine": "lockstep"},
        {"combine": True},
        {"bounds": True},
    ],
)
def test_other_runs_take_the_lockstep_engine(option: dict[str, Any]) -> None:
    choices = {"detail": "summary", "numbers": False, "machine": "t800", **option}
    assert senn.run("random:3", **choices).description["engine"] == "lockstep"
