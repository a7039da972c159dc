"""Everything that is a pure function of a trace, under one name: ``analysis.summary(run.trace)``."""

from senn.traces.analysis.accounts import (
    ends,
    level_starts,
    makespan,
    node_accounts,
    part,
    phase,
    spans,
    steps,
    summary,
)
from senn.traces.analysis.causality import (
    LABELS,
    WORDS,
    Piece,
    channel_times,
    critical_path,
    path_totals,
    share,
    spent_text,
)
from senn.traces.analysis.charges import account, charges, flights, stall_causes
from senn.traces.analysis.comparison import Comparison, compare, slower
from senn.traces.analysis.control_units import control_units, per_node, refuse_per_node, stalls, unit
from senn.traces.analysis.overlap import communication, overlap, overlap_by_step, waits
from senn.traces.analysis.scaling import Law, first_break, fit, holds_from
from senn.traces.analysis.traffic import (
    channels,
    communication_matrix,
    lane_activity,
    peak_buffer,
    shares,
    traffic,
    utilisation,
)

__all__ = [
    "LABELS",
    "WORDS",
    "Comparison",
    "Law",
    "Piece",
    "account",
    "channel_times",
    "channels",
    "charges",
    "communication",
    "communication_matrix",
    "compare",
    "control_units",
    "critical_path",
    "ends",
    "first_break",
    "fit",
    "flights",
    "holds_from",
    "lane_activity",
    "level_starts",
    "makespan",
    "node_accounts",
    "overlap",
    "overlap_by_step",
    "part",
    "path_totals",
    "peak_buffer",
    "per_node",
    "phase",
    "refuse_per_node",
    "share",
    "shares",
    "slower",
    "spans",
    "spent_text",
    "stall_causes",
    "stalls",
    "steps",
    "summary",
    "traffic",
    "unit",
    "utilisation",
    "waits",
]
