"""Words that commands print, each with a paragraph that explains it; the documentation has them as a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """A word and the paragraph that explains it."""

    name: str
    text: str
    also: tuple[str, ...] = ()
    """Other names of the word in printed output."""


WORDS = (
    # -- the problem and its answer
    Word(
        "problem",
        "A robot arm in a state: joint positions and rates, torques, gravity, and what its end effector "
        "touches. Given by name, by a generator (random:16:seed=1), by a TOML file, or by a URDF and its "
        "tip.",
    ),
    Word(
        "directions held",
        "How many of the six directions of the end effector its contact allows no motion in; the contact "
        "force acts along them. weld: all 6; face: 3, flat on a plane, sliding and turning on it; point: 3, "
        "a ball in a socket; line: 2, a bead on a wire; plane: 1, a stylus on a table; free: 0. They hold "
        "both ways, without friction.",
        (
            "contact",
            "direction held",
            "constrained direction",
            "n_c",
            "weld",
            "face",
            "point",
            "line",
            "plane",
            "free",
        ),
    ),
    Word(
        "note",
        "Something that was assumed, left out or drawn for this run, and that its figures depend on.",
    ),
    Word(
        "Lambda^-1",
        "The inverse of the operational space mass matrix, 6 x 6: the acceleration of the end effector "
        "for each force and moment on it, the joints being free to follow. What pushes back is its "
        "inverse, Lambda.",
        ("lambda_inverse", "lambda_inverse_error"),
    ),
    Word(
        "interbody forces",
        "The force and moment with which each link acts on the next, all joints and loads together. The "
        "summary has the largest; result.npz has all, as forces.",
        ("forces", "forces_error", "joint wrench", "joint wrenches"),
    ),
    Word(
        "joint",
        "Joints are counted from the base, 1 to n, and so are links and processes. Numbers of joints with "
        "several degrees of freedom stand together, turning first.",
    ),
    Word(
        "moment",
        "The turning half of what acts on the end effector or between links, N m, or of its acceleration, "
        "rad/s^2: along the x, y and z axes of the end effector.",
        ("angular", "moment x y z", "angular x y z"),
    ),
    Word(
        "force",
        "The half that pushes, N, or of an acceleration that moves, m/s^2, along the same axes.",
        ("linear", "force x y z", "linear x y z"),
    ),
    # -- the certificate
    Word(
        "certificate",
        "How far the answer of a run is from that of a solver that shares nothing with its program, found "
        "in the same run. Every quantity has an error and a tolerance of its own; one that is not within "
        "ends the command with status 1.",
        ("compared with", "quantity"),
    ),
    Word(
        "error",
        "The norm of the difference from the independent solution, over the norm of that solution: 1e-12 "
        "is twelve right digits. It is printed beside its tolerance: 1.8e-11 of 1.0e-08.",
        ("error of tolerance",),
    ),
    Word(
        "tolerance",
        "What an error may be before it is called wrong. It is measured for each problem: how far a "
        "stable solver moves when its numbers are rounded once more, with room. A wide one says that the "
        "problem itself loses digits.",
    ),
    Word(
        "verdict",
        "Within: the error is no larger than its tolerance. Outside: it is larger, or no number. Says "
        "nothing: the tolerance is so wide that being within it proves nothing. Of a claim: whether the "
        "paper's sentence holds.",
        ("within", "outside", "failed", "says nothing"),
    ),
    Word(
        "residual",
        "What is left when the answer is put back into the equations: of motion, or of the contact. It "
        "needs no other solver to be judged by.",
        (
            "equations of motion, residual",
            "contact condition, residual",
            "contact_residual",
            "worst residual",
        ),
    ),
    Word(
        "checked",
        "With --check, the fourteen invariants of the trace and every memory at the end were verified. In "
        "a comparison: how many certificates hold, and the largest of their errors.",
    ),
    # -- the program
    Word(
        "program",
        "Instructions for each array, as Section VI.D of Fijany (1993) prints them: compute, send, "
        "arrange, wait. It knows processes and levels, no node and no cycle. senn program prints it.",
    ),
    Word(
        "algorithm",
        "What is computed, and by which way: constraint forces in contact, divide and conquer, inverse "
        "dynamics by scans, ... senn list algorithms has all, with their steps.",
    ),
    Word(
        "value",
        "A quantity of the program, one for each process: its letter, below it the process that wrote it, "
        "above it the level. K_4^0 is what process 4 wrote as K at level 0. A message carries one.",
    ),
    Word(
        "process",
        "The work of one link, 1 to n. The allocation places it on a node at every level; PR_{k,i} is the "
        "processor of array k that acts for process i.",
        ("PR",),
    ),
    Word(
        "level M",
        "Step j of the doubling, j = 1 to M = log2 n rounded up: at level j process i meets the processes "
        "that are 2^(j-1) away. A logarithmic program issues a fixed number of instructions a level.",
        ("level", "levels", "levels M", "M"),
    ),
    Word(
        "form",
        "Which of three programs for the closed chain: paper, as printed; short, the same answers without "
        "the steps that are not needed; omega, without solving the same system a second time.",
    ),
    Word(
        "step",
        "The paper's number of an instruction, I.b.5 say: Step I eliminates, II finds velocities and bias "
        "forces, III the contact force, IV the accelerations. A step that the paper leaves out has a "
        "prime.",
        ("steps", "phase"),
    ),
    Word(
        "instructions",
        "Issued by an array's control unit, one after the other, to all its nodes at once; those not "
        "concerned are masked. What the paper counts as steps of computation.",
        ("instruction", "instructions, array", "instructions array", "instructions of arrays"),
    ),
    Word(
        "law",
        "The line a M + b through the counts over the levels M, fitted from a size on at which all parts "
        "of the program are there.",
    ),
    Word("largest distance", "How far a law is from the count farthest from it; exact: no count is off."),
    Word("n", "The number of joints of the arm, which is that of its processes.", ("sizes",)),
    # -- the machine
    Word(
        "machine",
        "What runs the program: a clock, cycles for each operation and message, a network of nodes for "
        "each array. senn list machines has the presets with the source of every figure.",
    ),
    Word(
        "array",
        "Nodes whose one control unit issues all instructions (SIMD). The paper has two: the first executes "
        "Step I, the second at the same time Steps II to IV.",
        ("arrays",),
    ),
    Word(
        "node",
        "Compute engine, DMA engine, which sends and receives beside it, and memory. "
        "Nodes count from 0; node p of one array is wired to node p of the next.",
        ("nodes",),
    ),
    Word(
        "allocation",
        "The node of every process at every level, a table (M + 1, n). The summary has its scores: dilation, "
        "congestion, load, and words x hops.",
    ),
    Word(
        "residency",
        "Whether data stay at the home of their process (home), or move with it between levels so that the "
        "next partner is a neighbour (migrating, or ahead).",
        ("home",),
    ),
    Word(
        "migrating",
        "The residency of the paper: after every level's update processes move by an un-shuffle, after "
        "which the partner 2^j away is next door. Their values move with them, as messages. Ahead: before "
        "the update.",
        ("ahead",),
    ),
    Word(
        "network",
        "How the nodes of an array are wired: SENN is a perfect shuffle with exchange and "
        "nearest-neighbour wires. senn list networks has the others.",
    ),
    Word(
        "channel",
        "One direction of a wire between two nodes. A message takes one at a time, and queues where one "
        "is taken; one message across one channel is a hop.",
        ("hop", "wire"),
    ),
    Word(
        "network steps",
        "Steps in each of which a channel carries at most one message, counted send by send: what the paper "
        "counts as steps of communication.",
        ("network_step",),
    ),
    Word(
        "control",
        "Who issues. SIMD: one control unit for an array, so all its nodes wait together. MIMD: every "
        "node by itself, so an array as a whole never stalls, but its nodes do.",
    ),
    # -- where the time goes
    Word(
        "makespan",
        "Cycles from the first instruction to the end of the last, of whichever array ends last. Of "
        "microseconds machines of different clocks can be compared.",
        ("microseconds", "us", "cycles"),
    ),
    Word(
        "spent on",
        "What the makespan consists of, cycle by cycle, along the chain of work and messages that made the "
        "run as long as it was: compute, posting and receiving of a processor; start-up, words and (with "
        "cut-through) the header of a message on channels. Where a message waits for a busy channel (queue), "
        "the chain goes on with the message that occupies it. In tables of many runs each has a column, in "
        "per cent.",
        (
            *("spent", "critical path", "compute", "queue", "posting", "receiving", "header"),
            *("start-up %", "words %", "compute %", "posting %", "receiving %", "header %"),
        ),
    ),
    Word(
        "cycle",
        "One tick of the machine's clock. All times are whole cycles from 0, and what lasts from 3 to 5 "
        "lasts in the cycles 3 and 4. senn explain RUN cycle 1809 says what goes on in one.",
        ("at",),
    ),
    Word(
        "in flight",
        "A message is in flight from the cycle in which it is posted to that in which it has arrived. Each "
        "of these cycles has one name: queue (it waits for a channel), start-up (the channel is set up, with "
        "cut-through the sender), header (the head of a cut-through message crosses a channel) or words. It "
        "may be read later.",
        (
            *("posted", "queued", "waiting", "crossing", "arrived", "arrives", "read at", "where", "start"),
            *("from", "to"),
        ),
    ),
    Word(
        "start-up",
        "Time of a message on a channel before its first word, timing.startup of the machine; with "
        "cut-through it is paid once, by the sender. Every word then takes timing.word.",
        ("startup",),
    ),
    Word(
        "post",
        "A message is posted when it enters the DMA engine of its sender; it arrives when all of it is in "
        "the memory of its target, is received when it is charged to its first reader, and is read when it "
        "is used.",
        ("arrive", "receive", "read"),
    ),
    Word(
        "masked",
        "Cycles in which the array of a node works and the node does not: the instruction is not for the "
        "process placed there. Where every node issues by itself: from its last work until its array "
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
        "Cycles in which a control unit cannot issue because an operand is missing: exposed stall and "
        "dependency wait together. In the summary as a share of the array's time.",
        ("stall", "node_stall", "times", "waits for"),
    ),
    Word(
        "exposed stall",
        "Stalled cycles in which the message that ends the stall is in flight. Faster channels make them "
        "fewer. Cycles of an array (or node), not of messages: those are exposed or hidden.",
        ("exposed_stall", "node_exposed_stall"),
    ),
    Word(
        "exposed",
        "Cycles of messages in flight in which a control unit is stalled until the message arrives: the "
        "arrival ends the stall. Of several messages that arrive in that cycle each one is exposed.",
    ),
    Word(
        "dependency wait",
        "Stalled cycles in which the message that ends the stall has not been posted: its sender is late. "
        "Faster channels do not help.",
        ("dependency_wait",),
    ),
    Word(
        "working",
        "Cycles in which an array executes the instructions of a step, or a node those of a process.",
        ("work", "busy"),
    ),
    Word(
        "share",
        "A part of a whole in per cent: of the time of an array, or of the cycles of a run. Of a time of the "
        "machine, in senn retime --sensitivity: the per cent that one per cent more of it costs.",
    ),
    Word(
        "hidden",
        "Cycles of messages in flight that are not exposed: the arrival of the message ends no stall in "
        "which they fall. Overlapped are those in which the control unit that reads the message executes an "
        "instruction; beside are the others: it is stalled for something else, or has not begun, or has "
        "ended.",
        ("overlapped", "beside"),
    ),
    Word(
        "free network",
        "T0: the makespan if every message arrived in the cycle in which it is posted. What a run "
        "takes longer is due to its network.",
        ("free_network", "T0", "bounds"),
    ),
    Word(
        "blocking sends",
        "The makespan if a send returned only when its message is delivered, as without a DMA.",
        ("blocking",),
    ),
    # -- communication
    Word(
        "traffic",
        "All messages of a run, the channels that they crossed, and their words, each counted once.",
    ),
    Word(
        "messages",
        "Posted by nodes to other nodes; a value that stays where it is is none.",
        ("message",),
    ),
    Word("hops", "Channels crossed by all messages together."),
    Word(
        "words",
        "Numbers of 64 bits carried by all messages, each counted once however far it went.",
        ("word",),
    ),
    Word(
        "words x hops",
        "The words of every message times the channels that it crossed: the volume of all communication.",
        ("word_hops",),
    ),
    Word("buffered", "The most words that ever waited at one node for a channel further on."),
    Word("dilation", "The most channels that any message crosses; 1: all partners are neighbours."),
    Word(
        "congestion",
        "The most messages of one send that share a channel, of the worst send. In all: the most messages "
        "that one channel carries in the whole program.",
        ("congestion_in_all",),
    ),
    Word("load", "The most processes on one node; 1: every process has one to itself."),
    # -- comparisons, files
    Word("same", "In a comparison: scores that are equal in all runs, and have no column.", ("equal",)),
    Word(
        "part at",
        "In senn diff: where the times of the runs a and b first differ. More in b is what work and stall "
        "are longer in b than in a, later in b what the end of a process is later.",
        ("a", "b", "differ", "more in b", "later in b"),
    ),
    Word(
        "recorded",
        "In senn retime: the run as it was kept, beside what it would be now, on the other machine. Timed "
        "says whether the order of the messages was that of the record, or each message was simulated again.",
        ("now", "now / recorded", "timed"),
    ),
    Word(
        "one more costs",
        "Cycles by which the makespan grows if a time of the machine, in cycles, is one cycle more; beside "
        "it is how large the time may be until the run takes 1, 2 or 5 % more.",
        ("time, in cycles", "% more up to"),
    ),
    Word(
        "bound",
        "In senn optimise: cycles below which no candidate can come, and because of what. A best candidate "
        "that reaches a bound is optimal. Against given: its makespan beside that of the given allocation.",
        ("because", "against given"),
    ),
    Word(
        "measured",
        "Of a claim: the figures of its experiment in one sentence, from which its rule makes the verdict.",
        ("experiment", "rule", "case"),
    ),
    Word("*", "In a comparison: the least of the runs that solve the same problem.", ("star",)),
    Word(
        "run",
        "What a simulation leaves: a folder with its trace, its numbers and its certificate.",
        ("folder",),
    ),
    Word(
        "pays from n",
        "The n from which on, up to the largest tried, the parallel program is faster than the best serial "
        "solution on one node of the same machine. senn claims crossovers, which has it also if messages "
        "took no time, and the cost of a start-up and of a word in operations of a node.",
        ("if messages took no time", "a start-up, operations", "a word, operations"),
    ),
    Word("numbers", "The answer in full, one array a quantity: result.npz in the folder of a run."),
    Word(
        "timeline",
        "A picture of a run: every compute engine over time, and the messages in flight. --plot, or senn "
        "plot.",
        ("picture",),
    ),
    Word(
        "trace",
        "The record of a run: tables of instructions, activities, messages and hops, to the cycle. Two "
        "runs of one trace hash did the same.",
        ("trace_hash",),
    ),
)
