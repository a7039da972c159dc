"""The chain of work and messages that made a run as long as it was."""

from fractions import Fraction

from senn.traces.analysis.causality import LABELS, Piece, backwards, causality
from senn.traces.record.trace import Trace


def critical_path(trace: Trace, startup: int | Fraction, hop: int | Fraction = 0) -> list[Piece]:
    """The pieces from cycle 0 to the makespan, in order, without a gap: their lengths sum to the makespan.

    Walks back from the instruction that ends last (the first array on a tie). An instruction that did not
    start at its predecessor's end was released by a message: its hops are charged and the walk goes on at the
    send that posted it. Where every node issues by itself, the walk goes along nodes instead of arrays.

    ``startup`` and ``hop`` are the machine's, as `causality` takes them. InputError where the hops of a
    message do not join.
    """
    record = causality(trace, startup, hop)
    return list(backwards(record, record.last()))[::-1]


def path_totals(pieces: list[Piece]) -> dict[str, int]:
    """Cycles of the path by label, all of ``LABELS``."""
    return {name: sum(piece.end - piece.start for piece in pieces if piece.label == name) for name in LABELS}
