"""Everything that is a pure function of a trace, under one name: ``analysis.summary(run.trace)``."""

from senn.traces.analysis.accounts import (
    ends,
    level_starts,
    makespan,
    node_accounts,
    spans,
    stalls,
    steps,
    summary,
)
from senn.traces.analysis.causality import (
    LABELS,
    Piece,
    channel_times,
    critical_path,
    path_totals,
    spent_text,
)
from senn.traces.analysis.charges import account, charges, flights, stall_causes
from senn.traces.analysis.comparison import Comparison, compare, slower
from senn.traces.analysis.node_stalls import node_stalls, per_node, refuse_per_node
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
    "node_stalls",
    "overlap",
    "overlap_by_step",
    "path_totals",
    "peak_buffer",
    "per_node",
    "refuse_per_node",
    "shares",
    "slower",
    "spans",
    "spent_text",
    "stall_causes",
    "stalls",
    "steps",
    "summary",
    "traffic",
    "utilisation",
    "waits",
]
