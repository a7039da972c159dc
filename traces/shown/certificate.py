"""The certificate of a run as its readers have it: a dictionary that a notebook shows as a table."""

from typing import Any

from senn.traces.shown.html import folded, table


class Certificate(dict[str, Any]):
    """How the answer compares with those who computed it in another way; as run.json has it.

    ``ok`` is the verdict, ``message`` says it in a sentence; ``verdicts``, ``tolerances`` and the figures
    themselves are by name, and ``besides`` are references of other kinds with the same.
    """

    def _repr_html_(self) -> str:
        """The sentence, and each figure beside its tolerance."""
        rows = [
            (name, f"{self[name]:.0e}", f"{self['tolerances'][name]:.0e}", said)
            for name, said in self.get("verdicts", {}).items()
        ]
        rows += [
            (f"{name}, {one['name']}", f"{one['figures'][name]:.0e}", f"{one['tolerances'][name]:.0e}", said)
            for one in self.get("besides", ())
            for name, said in one["verdicts"].items()
        ]
        figures = table(rows, ("figure", "error", "tolerance", "verdict"))
        return table([(self["message"],)]) + folded(f"{len(rows)} figures", figures)
