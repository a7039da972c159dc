"""Cells and flip-flops of a node of registers on four networks, by yosys, five minutes: registers.md."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import senn
from experiments.page import Tables, head, row

NETWORKS = (("senn", "migrating"), *((name, "home") for name in ("senn", "hypercube", "torus", "ring")))
"""Networks and residencies: migration is made for SENN; at home it is compared with the others."""
SIZES = (8, 16, 32, 64)
PARTS = ("operands", "dma", "port", "channel", "node")
"""Modules of a node; the last has what joins the others."""
_SCRIPT = """read_verilog -sv sizes.sv channel.sv dma.sv node.sv operands.sv port.sv;
hierarchy -top node; proc; opt -fast; tee -q -o bits.json stat -json;
memory_dff; memory_collect; opt -fast; techmap; opt -fast; tee -q -o cells.json stat -json"""


def nodes(sizes: tuple[int, ...] = SIZES) -> Iterator[str]:
    """A row a network and size; flip-flops by part, cells of logic, memory."""
    parts = [f"{what} of {part}" for what in ("flip-flops", "cells") for part in PARTS]
    whole = ("nodes", "channels", "buffers", "flip-flops", "cells", "memory bits")
    yield from head("network", "residency", *whole, *parts)
    for (network, residency), count in product(NETWORKS, sizes):
        channels, buffers, *kinds, bits = synthesised(network, residency, count)
        totals, each = [sum(x.values()) for x in kinds], [x[part] for x in kinds for part in PARTS]
        yield row(network, residency, count, channels, buffers, *totals, bits, *each)


def synthesised(network: str, residency: str, count: int) -> tuple[int, int, Counter[str], Counter[str], int]:
    """Outgoing channels, buffers of a node, flip-flops and other cells by part, bits of memory."""
    run = senn.run(f"random:{count}", residency=residency, set={"machine.network": network}, values=True)
    with tempfile.TemporaryDirectory() as place:
        folder = run.export(Path(place) / "machine.verilog")
        lines = (line.split() for line in (folder / "sizes.sv").read_text().splitlines())
        sizes = {words[1]: words[3].rstrip(";") for words in lines}
        subprocess.run(["yosys", "-q", "-p", _SCRIPT.replace("\n", " ")], cwd=folder, check=True)
        texts = ((folder / f"{name}.json").read_text() for name in ("cells", "bits"))
        found, memories = (json.loads(text)["modules"] for text in texts)
    top = next(name for name in found if _part(name) == "node")
    copies = Counter({top: 1, **{n: k for n, k in found[top]["num_cells_by_type"].items() if n in found}})
    flip_flops: Counter[str] = Counter()
    cells: Counter[str] = Counter()
    for name, times in copies.items():
        for kind, number in found[name]["num_cells_by_type"].items():
            if kind.startswith("$_"):
                (flip_flops if "DFF" in kind else cells)[_part(name)] += number * times
    bits = sum(memories[name]["num_memory_bits"] * times for name, times in copies.items())
    buffers = int(sizes["IN"]) * int(sizes["DEPTH"])
    return int(sizes["OUT"]), buffers, flip_flops, cells, bits


def _part(module: str) -> str:
    return next(part for part in module.split("\\") if part in PARTS)


DATA: Tables = {"nodes": nodes}
