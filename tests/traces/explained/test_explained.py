"""A run in sentences: figures worked out by hand, laws of real runs, and what there is not."""

import pytest

import senn
from senn.base.errors import InputError
from senn.traces.explained import explained
from senn.traces.run import Run
from tests.traces.hand_trace import STARTUP, hand_trace

HAND = Run(
    hand_trace(),
    {
        "program": {"name": "by hand", "n": 2},
        "machine": {"name": "fijany", "clock_mhz": 2, "startup": STARTUP, "hop": 0},
        "allocation": {"name": "identity", "table": [[0, 1], [0, 1]]},
        "schedule": {"nodes": 2},
    },
)


def _paragraphs(*words: str) -> list[str]:
    return list(explained(HAND, *words).figures["text"])


def test_the_story_by_hand():
    """Of 39 cycles; the stalls are 2 of array 1 and 25 of array 2, and F is exposed most."""
    assert _paragraphs() == [
        "The run takes 39 cycles, 19.5 us at 2 MHz. Array 2 ends last, array 1 in cycle 24.",
        "The critical path is the chain of work and messages that determines the makespan: 20 (51 "
        "%) start-ups, 10 (26 %) computing, 8 (21 %) words on channels and 1 (3 %) posting, together"
        " 39 cycles. It passes through 3 instructions and 4 messages, 35 (90 %) in array 1 and 4 (10"
        " %) in array 2, a message counting where it was sent.",
        "Array 1 is stalled for 2 (8 %) of its 24 cycles: 2 (100 %) words on channels of messages. "
        "Array 2 is stalled for 25 (64 %) of its 39 cycles: 16 (64 %) start-ups and 8 (32 %) words "
        "on channels of messages; 1 because array 1 was late.",
        "The 6 messages are in flight for 55 cycles, summed over messages. 25 (45 %) of these are"
        " exposed: a control unit is stalled until the message arrives. The other 30 are hidden: in 13 "
        "of them the control unit that reads the message executes an instruction, in 17 it does not.",
        "The most exposed send is I.b.7 of F in array 1 (level 1): 16 (64 %) of all exposed cycles,"
        " 8 (50 %) start-ups, 6 (38 %) waiting for busy channels and 2 (12 %) words on channels, "
        "most of them before II.c.3.i of array 2. The reader is stalled from the cycle of the post "
        "on: it has no other work to do. It is also the send that the critical path spends most on, "
        "10 cycles.",
        "The longest message on the critical path is message 1 (F_1^0), 1 word sent by I.b.7 (level "
        "1) from node 0 of array 1 to node 1 of array 2 over 2 channels: 10 cycles, 8 (80 %) "
        "start-ups and 2 (20 %) words on channels.",
        "The first remedy is a shorter start-up: with half of it this path would be about 10 cycles "
        "shorter (26 %). How much of that the run gains depends on its other chains, which may then "
        "be the longest: senn retime RUN --set FIELD=VALUE computes it exactly. The path has 5 "
        "start-ups of 4 cycles one after the other: fewer and longer messages, or fewer channels for "
        "each, would do the same.",
    ]


def test_a_step_by_hand():
    assert _paragraphs("I.b.12") == [
        "I.b.12 is a computation of array 1, issued once (level 1). It takes 5 cycles: level 1 in "
        "[14, 19) on 1 node.",
        "Its array is stalled before it for 2 cycles: all for D of I.b.5 (array 1).",
        "None of it is on the critical path: shortening it gains nothing, as long as channels serve their "
        "messages in the same order.",
    ]
    assert _paragraphs("I.b.13")[2:] == [
        "It posts 2 messages of A, 2 words each, over 2 channels in all, and they are read 0 to 4 "
        "cycles after they arrive. They are in flight for 16 cycles, summed over messages: 8 (50 "
        "%) start-ups, 4 (25 %) words on channels and 4 (25 %) waiting for busy channels. 5 (31 %) "
        "of these are exposed: a control unit is stalled until the message arrives. The other 11 are "
        "hidden: in 2 of them the control unit that reads the message executes an instruction, in 9 it "
        "does not.",
        "6 cycles of it and its messages are on the critical path (15 % of the makespan): 4 (67 %) "
        "start-ups and 2 (33 %) words on channels; the first with I.b.13 in cycle 24.",
    ]
    part = explained(HAND, "II")
    assert part.figures["text"][0].startswith(
        "II is 6 steps of array 2, issued 6 times (level 1). The first begins in"
    )
    assert part.figures["still"] == 23


def test_a_message_by_hand():
    assert _paragraphs("message", "1") == [
        "Message 1 carries F_1^0, 1 word, from process 1 at node 0 of array 1 to process 2 at node "
        "1 of array 2. I.b.7 (level 1) of array 1 posts it in cycle 8.",
        "It crosses exchange:0-1, from node 0 to node 1, in cycles [14, 19) after waiting 6 for it;"
        " vertical:1-1, from node 1 to node 1 of the next array, in cycles [19, 24). It arrives in "
        "cycle 24, after 16 cycles: 8 (50 %) start-ups, 6 (38 %) waiting for busy channels and 2 "
        "(12 %) words on channels.",
        "Its first reader is II.c.3.i (level 1) of array 2, in the same cycle.",
        "Its arrival ends the stall of array 2 before II.c.3.i for 16 cycles. 16 (100 %) of its cycles are "
        "exposed: a control unit is stalled until the message arrives.",
        "10 (62 %) of its cycles are on the critical path.",
    ]
    hidden = _paragraphs("message", "5")
    assert hidden[2] == "Its first reader is II.c.4.ii of array 2, 21 cycles later."
    assert hidden[3] == (
        "It ends no stall. None of its cycles are exposed. All 5 are hidden: in 2 of them the control unit "
        "that reads the message executes an instruction, in 3 it does not."
    )
    assert hidden[4].startswith("It is not on the critical path: shortening it gains nothing")
    assert _paragraphs("message", "4")[-1] == "5 (45 %) of its cycles are on the critical path."


def test_a_node_by_hand():
    """Node 1 of array 1: computes 6 + 4 + 5 + 3 of 24 cycles, posts 2, is masked in 2 and stalls for 2."""
    assert _paragraphs("node", "1:1") == [
        "Node 1 of array 1 is home of process 2.",
        "Its 24 cycles until array 1 ends are 18 (75 %) computing, 2 (8 %) posting, 2 (8 %) masked "
        "and 2 (8 %) stalled (masked: its array works and it does not).",
        "Its stalls, those of its array, are charged to 2 (100 %) words on channels.",
        "Its DMA is busy for 16 cycles: 3 (19 %) under its own computing, 11 (69 %) after its array"
        " has ended and 2 (12 %) under other work of its array.",
        "It sends 2 messages (3 words), receives 1 and forwards 1. Most of these, 2, go to node 1 "
        "of array 2. They are in flight for 21 cycles. 7 (33 %) of these are exposed: a control "
        "unit is stalled until the message arrives. The other 14 are hidden: in 5 of them the control "
        "unit that reads the message executes an instruction, in 9 it does not. Most of the exposed "
        "cycles are of I.b.13: 5.",
    ]


def test_a_chain_with_nothing_beside_it():
    """One node and no message: half the time for all work is half the run."""
    run = senn.run("random:2", algorithm="forward-articulated", machine="mark3", check=False, numbers=False)
    half = run.summary["makespan"] // 2
    said = explained(run).figures["text"][-1]
    assert f"would be about {half:,} cycles shorter (50 %). The run has no other chain" in said
    assert senn.retime(run, set={"timing.flop": 2}).makespan == run.summary["makespan"] - half


def test_what_a_node_sends_itself():
    """Process 1 of eight stays on node 0, whatever moves: 37 of its messages cross no channel."""
    run = senn.run("random:8", check=False, numbers=False)
    sent = run.trace.messages.filter(source_array=2, source_node=0)
    assert sent.filter(target_array=2, target_node=0).height == 37
    assert "Most of these, 37, go to itself." in explained(run, "node", "2:0").figures["text"][-1]


def test_a_part_in_quotes_is_the_part():
    """As the help writes it: "message 3"."""
    assert explained(HAND, "message 3") == explained(HAND, "message", "3")
    assert explained(HAND, " I.b.12 ") == explained(HAND, "I.b.12")


WRONG = {
    "no such step": (("I.b.99",), 'this run has no step "I.b.99"; near it: '),
    "nothing like it": (("qwx",), r'this run has no step "qwx"; its steps begin with I\.b, I\.c, II\.b'),
    "no such message": (("message", "6"), "this run has no message 6; they are 0 to 5"),
    "a former part": (("cycle", "39"), 'part "cycle" is gone: the page of senn report replays a run'),
    "no such node": (
        ("node", "1:2"),
        "this run has no node 1:2; its arrays are 1 to 2, and the nodes of each 0 to 1",
    ),
    "no such array": (("node", "0:1"), "this run has no node 0:1"),
    "no number": (("message", "x"), 'message "x": write a whole number, as in message 3'),
    "a very long number": (("message", "9" * 30), "write a whole number"),
    "no array": (("node", "4"), 'node "4": write its array and its number, as in node 1:4'),
    "half a node": (("node", "1:"), 'node "1:": write its array and its number, as in node 1:4'),
    "nothing": (("",), 'this run has no step ""; its steps begin with'),
    "which one": (("message",), r"which message\? explain a step"),
    "too much": (("I.b.5", "3"), 'of a run a step .* is explained, not "I.b.5 3"'),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG)
def test_what_there_is_not_is_said(words, said):
    with pytest.raises(InputError, match=said):
        explained(HAND, *words)


@pytest.mark.parametrize("detail", ["instructions", "summary"])
def test_less_detail_is_refused(detail):
    run = Run(HAND.trace.at_detail(detail), HAND.description, summary=HAND.summary)
    with pytest.raises(InputError, match="needs the messages of the run"):
        explained(run)


RUNS = {
    "simd": {},
    "mimd": {"set": {"machine.control": "mimd"}},
    "cut-through": {"set": {"machine.switching": "cut-through", "timing.hop": 3}},
    "free": {"machine": "ideal"},
    "queues": {"machine": "raw", "set": {"machine.vertical": "bus", "timing.word": 400}, "residency": "home"},
    "one array": {"arrays": 1},
    "folded": {"set": {"machine.nodes": 2}, "allocation": "block"},
    "serial": {"algorithm": "inverse-dynamics-newton-euler"},
    "one link": {"problem": "random:1"},
}


@pytest.mark.fast("free", "folded", "one link", "serial")
@pytest.mark.parametrize("chosen", RUNS.values(), ids=RUNS)
def test_every_part_of_a_run_is_told(chosen):
    """The figures of all parts add up to those of the whole."""
    run = senn.run(**{"problem": "random:3", "numbers": False, "machine": "raw", **chosen})
    story = explained(run)
    assert story.figures["spent"] == run.spent
    assert sum(story.figures["path"]["by_array"].values()) == run.summary["makespan"]
    path = story.figures["path"]["messages"]
    said = "no message that takes a cycle" if path == 0 else f"{path:,} message"
    assert (
        f"instruction{'s' * (story.figures['path']['instructions'] > 1)} and {said}"
        in story.figures["text"][1]
    )
    charged = run.charges
    assert sum(one["still"] for one in story.figures["arrays"].values()) == charged["cycles"].sum()

    phases = [explained(run, one) for one in run.parts.places]
    assert sum(one.figures["still"] for one in phases) == charged["cycles"].sum()
    on_path = [sum(one.figures["on_critical_path"].values()) for one in phases]
    assert sum(on_path) == run.summary["makespan"]

    nodes = run.description["schedule"]["nodes"]
    told = [explained(run, "node", f"{k}:{p}").figures for k in run.summary["arrays"] for p in range(nodes)]
    assert sum(one["sent"] for one in told) == sum(one["taken"] for one in told) == run.trace.messages.height
    assert all(sum(one["cycles"].values()) == one["end"] for one in told)

    for number in range(0, run.trace.messages.height, 9):
        one = explained(run, "message", str(number)).figures
        assert sum(one["spent"].values()) == one["message"]["arrived"] - one["message"]["posted"]
        assert one["exposed"] + one["hidden"] == sum(one["spent"].values())
