"""What would make a run shorter first: what its critical path spends most on, and how much half of it is."""

from math import ceil
from typing import TYPE_CHECKING, Any

from senn.traces.analysis.causes.spent import channel_times, share
from senn.traces.explained.text import WORK, cycles
from senn.traces.naming import counted

if TYPE_CHECKING:
    from senn.traces.run import Run

_HALF = {
    "compute": "faster compute engines: with half the time for all their work",
    "startup": "a shorter start-up: with half of it",
    "words": "channels that carry words faster: with half the time for each word",
    "hop": "channels that pass on heads faster: with half the time for each head",
}
_WITHOUT = "fewer messages on the same channels (another allocation, residency or network): without queues"


def helps(run: "Run") -> tuple[str, dict[str, Any]]:
    """A paragraph and its figures."""
    spent, taken = run.spent, run.summary["makespan"]
    if not taken:
        return "", {"first": None}
    work = {"compute": sum(spent[name] for name in WORK)}
    together = {name: count for name, count in spent.items() if name not in WORK} | work
    first = max(together, key=lambda name: together[name])
    most = together[first]
    gain = most if first == "queue" else most // 2
    advice = _HALF.get(first, _WITHOUT)
    beside = (
        "How much of that the run gains depends on the chains beside it, which may then be the longest"
        if run.trace.messages.height
        else "There is no chain beside it, so the run gains all of that"
    )
    text = (
        f"What would help first is {advice} this path would be about {cycles(gain)} shorter "
        f"({share(gain, taken)}). {beside}: senn retime RUN --set FIELD=VALUE says it to the cycle."
    )
    if first == "startup":
        startup = ceil(channel_times(run.description["machine"])[0])
        text += (
            f" The path has {counted(most // max(startup, 1), 'start-up')} of {cycles(startup)} one after "
            "the other: fewer and longer messages, or fewer channels for each, would do the same."
        )
    return text, {"first": {"label": first, "cycles": most, "shorter": gain}}
