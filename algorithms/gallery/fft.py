"""Fast Fourier transform (Gentleman and Sande 1966) of constant geometry (Pease 1968, Stone 1971).

After each perfect shuffle all butterflies are on the exchange wires: of x and y, h apart, one process keeps
x + y, the other (x - y) exp(-pi i e / h). The spectrum is in bit-reversed order: process 1 + k has the
component whose number is k read backward. n = 2^M.
"""

import numpy as np

from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program

LAW = {"instructions": "3 M + 1", "network steps": "3 M - 2", "words": "2 n M"}

x = Letter("x", (2,))  # x[k]: after k butterflies, real and imaginary part
sum_of_both = plus.of(1)


@kernel_family(lambda turns: f"({{1}} - {{0}}) exp(-2 pi i {turns})")
def turned(own, other, *, turns):
    (re, im), w = (other - own).T, np.exp(-2j * np.pi * turns)
    return np.stack([re * w.real - im * w.imag, re * w.imag + im * w.real], axis=-1)


def program(n):
    if n & (n - 1):
        raise InputError(f"a Fourier transform of {n} numbers: take 2, 4, 8, ... processes")
    m = levels(n)

    def level(j, h):
        k = m - j
        kernels = [turned(p % h / (2 * h)) if p & h else sum_of_both for p in range(n)]
        yield Send("X.1", x[k], PR1[i ^ h])
        yield Compute("X.2", x[k + 1], by_process(kernels)(x[k], x[k][i ^ h]))
        yield Arrange("S.1", x[k + 1], j, j - 1)

    shuffle = Arrange("S.1", x[0], 0, m)
    return Program(
        name="Fourier transform",
        n=n,
        streams=((shuffle, *loop(n, level, downward=True), Wait("X.3", x[m])),),
        resident=(Resident(x[0], (1,)),),
        results={"spectrum": (1, x[m])},
        parts={"S": "shuffle", "X": "exchange and butterfly"},
    )


def example(n, rng):
    return {"x[0]": rng.standard_normal((n, 2))}


def answer(memory):
    signal = memory["x[0]"] @ [1, 1j]
    order = [k - 1 for k in bit_reversal(len(signal)).offset.targets]
    spectrum = np.fft.fft(signal)[order]
    return {"spectrum": np.stack([spectrum.real, spectrum.imag], axis=-1)}
