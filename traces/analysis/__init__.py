"""Everything that is a pure function of a trace, under one name: ``analysis.summary(run.trace)``."""

from senn.traces.analysis.accounts import ends, makespan, node_accounts, steps, summary
from senn.traces.analysis.causality import Piece
from senn.traces.analysis.causes.charges import account, charges, flights
from senn.traces.analysis.causes.spent import spent, spent_text
from senn.traces.analysis.changes.slower import slower
from senn.traces.analysis.comparison import Comparison, compare
from senn.traces.analysis.critical_path import critical_path, path_totals
from senn.traces.analysis.node_stalls import node_stalls, per_node, refuse_per_node
from senn.traces.analysis.overlap import communication, overlap, overlap_by_step, waits
from senn.traces.analysis.scaling import Law, first_break, fit, holds_from
from senn.traces.analysis.spans import level_starts, spans, stalls
from senn.traces.analysis.stall_causes import stall_causes
from senn.traces.analysis.traffic import channels, communication_matrix, peak_buffer, traffic
from senn.traces.analysis.utilisation import lane_activity, shares, utilisation

__all__ = [
    "Comparison",
    "Law",
    "Piece",
    "account",
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
    "spent",
    "spent_text",
    "stall_causes",
    "stalls",
    "steps",
    "summary",
    "traffic",
    "utilisation",
    "waits",
]
