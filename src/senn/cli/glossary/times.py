"""The words for where the time goes."""

from __future__ import annotations

from senn.cli.glossary.word import Word

TIMES = (
    Word(
        "makespan",
        "Cycles from the first instruction to the end of the last, of whichever array ends last. Of "
        "microseconds machines of different clocks can be compared.",
        ("microseconds", "cycles"),
    ),
    Word(
        "spent on",
        "What the makespan consists of, cycle by cycle, along the chain of work and messages that made the "
        "run as long as it was: compute, posting and receiving of a processor; start-up, words and (with "
        "cut-through) heads of messages on channels; queues, where a message waits for a channel. In "
        "tables of many runs each has a column, in per cent.",
        (
            *("spent", "critical path", "start-up", "compute", "queues", "posting", "receiving", "heads"),
            *("start-up %", "words %", "compute %", "queues %", "posting %", "receiving %", "heads %"),
        ),
    ),
    Word(
        "cycle",
        "One tick of the machine's clock. All times are whole cycles from 0, and what lasts from 3 to 5 "
        "lasts in the cycles 3 and 4. senn explain RUN cycle 1809 says what goes on in one.",
        ("at",),
    ),
    Word(
        "under way",
        "A message is under way from the cycle in which it is posted to that in which it has arrived: queued "
        "before a channel, waiting for it, then crossing it, channel by channel. It may be read later.",
        (
            *("posted", "queued", "waiting", "crossing", "arrived", "arrives", "read at", "where", "start"),
            *("from", "to"),
        ),
    ),
    Word(
        "masked",
        "Cycles in which the array of a node works and the node does not: the instruction is not for the "
        "process that lives there. Where every node issues by itself: from its last work until its array "
        "ends.",
    ),
    Word(
        "issue",
        "The cycle in which an instruction begins: when the one before it has ended and all that it reads "
        "has arrived. Between these two an array stalls.",
        ("does", "stalls", "computes", "posts"),
    ),
    Word("ends at", "The cycle in which the last instruction of an array ends.", ("end", "ends", "begins")),
    Word(
        "stalled",
        "Cycles for which an array stands still before an instruction because an operand is not there: "
        "exposed cycles and dependency wait together. In the summary as a share of the array's time.",
        ("stall", "share", "node_stall", "times", "waits for"),
    ),
    Word(
        "exposed",
        "Stalled cycles in which the message waited for has been posted and is on its way: communication "
        "that nothing hides. Faster channels make them fewer. Of a message: the cycles under way in which "
        "anybody stands still because of it.",
        ("node_exposed",),
    ),
    Word(
        "dependency wait",
        "Stalled cycles in which the message waited for has not been posted yet: its sender is late. "
        "Faster channels do not help.",
        ("dependency_wait",),
    ),
    Word("working", "Cycles in which an array executes the instructions of a step."),
    Word(
        "hidden",
        "Node cycles in which a DMA sends while its own compute engine computes: communication that costs "
        "no time. With its share of all sending. Of a message: the cycles under way in which nobody stands "
        "still because of it.",
    ),
    Word(
        "free network",
        "T0: the makespan if every message were there in the cycle in which it is posted. What a run "
        "takes longer is due to its network.",
        ("free_network", "T0", "bounds"),
    ),
    Word(
        "blocking sends",
        "The makespan if a send returned only when its message is delivered, as without a DMA.",
        ("blocking",),
    ),
)
