"""Tables of rescience.md, from the data files of other pages: at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from experiments.page import Tables, data, head, row

WORDS = ("holds", "depends", "fails", "untestable")
MACHINES = ("fijany", "mark3", "ipsc860", "t800", "maspar", "cluster")


def _claims() -> list[dict[str, str]]:
    """All claims; against today's algorithms the verdict of 1993, where they play no role."""
    titles, *rows = data("claims", "claims")
    entries = [dict(zip(titles, line, strict=True)) for line in rows]
    return [entry | {"today": entry["verdict today"] or entry["verdict"]} for entry in entries]


def verdicts() -> Iterator[str]:
    """How many claims have each verdict."""
    yield from head("against the algorithms of", *WORDS, "all")
    for era, column in (("1993", "verdict"), ("today", "today")):
        counts = Counter(entry[column] for entry in _claims())
        yield row(era, *(counts[word] for word in WORDS), counts.total())


def failed() -> Iterator[str]:
    """Claims that fail against the algorithms of 1993 or of today, and why."""
    yield from head("sentence", "Fijany", "1993", "today", "because")
    for entry in _claims():
        if "fails" in (entry["verdict"], entry["today"]):
            conditions = dict.fromkeys(filter(None, (entry["condition"], entry["condition today"])))
            place = entry["Fijany"].replace("paragraph ", "")
            sentence = f'"{entry["sentence"]}"'
            yield row(sentence, place, entry["verdict"], entry["today"], "; ".join(conditions))


def pays() -> Iterator[str]:
    """From how many joints on the printed program on 2 n nodes beats the best serial solution on one."""
    titles, *rows = data("crossovers", "pays-from-form-paper")
    yield from head(*titles[:3])
    for line in sorted(rows, key=lambda line: MACHINES.index(line[0]) if line[0] in MACHINES else -1):
        if line[0] in MACHINES:
            yield row(f"`{line[0]}`", *line[1:3])


TABLES: Tables = {"verdicts": verdicts, "failed": failed, "pays": pays}
