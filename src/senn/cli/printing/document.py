"""Runs as the objects of `--json`, with equal keys whichever command prints them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from senn.choices import RunChoices, choices
from senn.studies import CERTIFICATE, COUNTED, JUDGED, SPENT

if TYPE_CHECKING:
    import polars as pl

    from senn.traces.run import Run


def of_run(run: Run, folder: Path) -> dict[str, Any]:
    """A run: the question, the answer, its certificate, where the time went, and where it is kept."""
    from senn.traces import analysis, facts

    description = run.description
    run_facts = facts.facts(run)
    settings = {}
    for row in choices(RunChoices).values():
        if row.printed and row.record_key:
            table, _, name = row.record_key.partition(".")
            entry = description.get(table)
            settings[row.name] = entry.get(name) if name and entry else entry
    return {
        "problem": run_facts.problem,
        "program": description["program"]["name"],
        "n": run_facts.n,
        "levels": facts.levels(run),
        **settings,
        **_answers(run),
        **facts.figures(run),
        "steps": facts.parts(run).to_dicts() if run.trace.detail != "summary" else None,
        "waits": analysis.waits(run.trace).to_dicts() if run.trace.detail == "full" else None,
        "trace_hash": run.trace.hash,
        "folder": str(folder),
    }


def _answers(run: Run) -> dict[str, Any]:
    """The answers of a run, and its certificate."""
    from senn.algorithms.answers import ANSWERS, figures

    problem, certificate = run.description.get("problem"), run.certificate
    names = () if certificate is None else certificate.get("digits_of", ())
    kept = dict.fromkeys((*figures(), *names, "digits", "digits_of", "required", "besides", "ok"))
    judged = certificate and {name: certificate[name] for name in kept if name in certificate}
    if not problem:
        result = {name: numbers.tolist() for name, numbers in run.result.items()}
        return {"result": result, "certificate": judged}
    free = problem["contact"]["kind"] == "none"
    answers = {name: problem.get(name) for name in ("joint_names", "labels")}
    for name, row in ANSWERS.items():
        there = name in run.result and not (row.of_contact and free)
        if row.shown and (there or row.usual):
            answers[row.printed or name] = run.result[name].tolist() if there else None
    return {**answers, "certificate": judged}


def field_text(value: str | int | bool) -> str:
    """A value as it is written in a machine file and after --set."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def of_rows(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows of many runs or sizes; what columns say of each array, and of the certificate, is together."""
    entries = []
    for row in rows.to_dicts():
        tables: dict[str, dict[str, Any]] = {COUNTED: {}, SPENT: {}, JUDGED: {}, "": {}}
        for name, value in row.items():
            prefix = next(each for each in tables if name.startswith(each))
            tables[prefix][name.removeprefix(prefix)] = value
        counts = {k: count for k, count in tables[COUNTED].items() if count is not None}
        entry = tables[""] | {"instructions": sum(counts.values()) if counts else None}
        entry["by_array"] = {k: {"instructions": count} for k, count in counts.items()}
        if spent := tables[SPENT]:
            entry["spent"] = None if None in spent.values() else spent
        if judged := tables[JUDGED]:
            certificate = {name: judged[column] for column, name in CERTIFICATE.items()}
            entry["certificate"] = None if judged["ok"] is None else certificate
        entries.append(entry)
    return entries
