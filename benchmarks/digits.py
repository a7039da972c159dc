"""Whether certificates tell the truth: printed errors against balls, on thousands of hard problems.

    python benchmarks/digits.py                        2,000 problems
    python benchmarks/digits.py --problems 300 --seed 5000
    python benchmarks/digits.py --only 1234            one problem, with all its figures
    python benchmarks/digits.py --quick                60 problems
    python benchmarks/digits.py --arms real            of the robots of example-robot-data
    python benchmarks/digits.py --rows FILE            also a line of JSON for each problem, in FILE

Problems are drawn by their numbers (`benchmarks/hard.py`); a drawn program solves each, and its answers are
certified. The true answers come from 320 bits and more and dense formulas (`tests/oracles/balls.py`). An
error is the Frobenius norm of what an answer is off, over the norm of the true answer; of the digits of an
error e there are floor(-log10(e)), from 0 to 16. Printed figures are compared with true ones by name:

    lies        certified, and an answer has fewer true digits than printed less one         none may be
                (of it, or of all; of it alone where the certificate says that it vanishes)
    refused     all answers have eight true digits, and the certificate is not ok            1 % may be
    far off     a true error above 1e-13, and the printed one is not within ten of it        none may be

Stored rotations are orthogonal to rounding only, so that the true answers themselves are known to their
`blur`. A lie or a distance below ten times the blur is counted apart. Ends with status 1 where something
is that may not be."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from benchmarks import hard
from senn.algorithms import problems
from senn.algorithms.answers import ANSWERS
from senn.algorithms.certificate.certify import certify
from senn.algorithms.problems.problem import Problem
from senn.api import building
from senn.api.programs import placed
from senn.base.errors import InputError
from senn.choices import RunChoices, usual
from senn.machine.engines import lockstep
from senn.machine.engines.memory import rounded
from tests.oracles import balls

RIGHT = 8
"""True digits of answers that may not be refused."""
MOST_REFUSED = 0.01
FLOOR, FACTOR = 1e-13, 10.0
"""Above this true error a printed one is within this factor of it."""
_SHOWN = 12


@dataclass(frozen=True)
class Judged:
    """A problem, its program, and what was printed and is true of its answers."""

    seed: int
    words: str
    program: Mapping[str, Any]
    ok: bool
    digits: int  # Printed: the least of all figures
    printed: Mapping[str, float] = field(default_factory=dict)
    true: Mapping[str, float] = field(default_factory=dict)
    """By the same names; infinite of a singular problem, and none of an answer that is exactly zero."""
    blur: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    vanishing: Sequence[str] = ()  # Figures that the certificate does not count

    @property
    def true_digits(self) -> int:
        """The least of all answers."""
        return min(map(digits, self.true.values()), default=16)

    @property
    def lies(self) -> list[str]:
        """Figures of a certified answer with fewer true digits than printed less one."""
        if not self.ok:
            return []
        least = {name: 0 if name in self.vanishing else self.digits for name in self.true}
        said = {name: max(digits(self.printed.get(name, 1.0)), least[name]) for name in self.true}
        return [name for name, error in self.true.items() if digits(error) < said[name] - 1]

    @property
    def unprinted(self) -> list[str]:
        """Figures of answers that the certificate says nothing of, though there is something to be said."""
        return [name for name, error in self.true.items() if name not in self.printed and self.ok]

    @property
    def refused(self) -> bool:
        return not self.ok and self.true_digits >= RIGHT

    @property
    def far_off(self) -> list[str]:
        """Figures whose printed error is not within ten of a true one above 1e-13."""
        return [x for x in self._both if self.true[x] > FLOOR and not 0.1 <= self.ratio(x) <= FACTOR]

    @property
    def _both(self) -> list[str]:
        return [name for name in self.true if name in self.printed]

    def ratio(self, name: str) -> float:
        """The printed error over the true one."""
        return self.printed[name] / self.true[name]

    def blurred(self, names: list[str]) -> bool:
        """Whether the stored numbers leave all of this open."""
        return all(self.true[name] < FACTOR * self.blur.get(name, 0.0) for name in names)

    def __str__(self) -> str:
        figures = (
            f"{name} printed {self.printed.get(name, math.nan):.1e} true {error:.1e}"
            f" (blur {self.blur.get(name, math.nan):.0e})"
            for name, error in self.true.items()
        )
        others = {name: value for name, value in self.printed.items() if name not in self.true}
        worst = max(others, key=lambda name: others[name], default="")
        more = f"; worst of the others: {worst} printed {others[worst]:.1e}" if worst else ""
        program = " ".join(map(str, self.program.values()))
        verdict = f"ok, {self.digits} digits" if self.ok else f"not ok, {self.digits} digits"
        note = f"; {self.note}" if self.note else ""
        return f"--only {self.seed}  {self.words}; {program}: {verdict}; {'; '.join(figures)}{more}{note}"


def digits(error: float) -> int:
    """floor(-log10(error)), from 0 to 16."""
    if not error < 1.0:
        return 0
    return min(16, math.floor(-math.log10(error))) if error > 0.0 else 16


def solved(
    problem: hard.Hard,
) -> tuple[dict[str, Any], Problem, dict[str, np.ndarray]] | str:
    """The program that takes the problem, the problem as that has it, and its answers; or why none does."""
    reason = "no program"
    for way in problem.ways:
        settings = usual(RunChoices, **way, machine="ideal", residency="home")
        algorithm = building.algorithm_of(settings)
        arm = problem.problem if algorithm.closed else problems.free(problem.problem)
        try:
            program = building.program_of(settings, arm.chain.n, arm.chain.joints, arm.contact.shape, arm)
            schedule = placed(program, "ideal", "home")
            memory = rounded(algorithm.memory(arm), settings["precision"])
            results = lockstep.results(schedule, [memory])
            first = {name: blocks[0] for name, blocks in results.items()}
            return way, arm, dict(algorithm.answers(arm, first))
        except InputError as error:
            reason = str(error)
    return reason


def judged(problem: hard.Hard) -> Judged | str:
    """The certificate of a problem's answers beside the truth; or why there is none."""
    solution = solved(problem)
    if isinstance(solution, str):
        return solution
    way, arm, answers = solution
    note = ""
    vanishing: Sequence[str] = ()
    try:
        true, blur = _true(arm, answers)
    except ArithmeticError as error:
        true, blur, note = {ANSWERS[name].error: math.inf for name in answers}, {}, str(error)
    try:
        certificate = certify(arm, answers)
        ok, least, printed = certificate.ok, certificate.digits, dict(certificate.figures)
        vanishing = certificate.excused
        note = note or ("singular, by the certificate" if certificate.singular else "")
    except InputError as error:
        ok, least, printed, note = False, 0, {}, note or f"refused: {error}"
    return Judged(problem.seed, problem.words, way, ok, least, printed, true, blur, note, vanishing)


def _true(arm: Problem, answers: Mapping[str, np.ndarray]) -> tuple[dict[str, float], dict[str, float]]:
    """True errors by the names of figures, and how far the truth is known."""
    right = balls.answers(arm, answers)
    stored = balls.answers(arm, answers, orthogonal=False)
    true: dict[str, float] = {}
    blur: dict[str, float] = {}
    for name, answer in answers.items():
        if not right[name].high.any():
            continue
        figure = ANSWERS[name].error
        error = min(balls.error(answer, right[name]), balls.error(answer, stored[name]))
        true[figure] = max(true.get(figure, 0.0), error if np.isfinite(answer).all() else math.inf)
        blur[figure] = max(blur.get(figure, 0.0), balls.error(stored[name].high, right[name]))
    return true, blur


def campaign(
    count: int, seed: int, only: bool = False, arms: Sequence[str] = hard.ARMS
) -> Iterator[Judged | str]:
    """So many judged problems from this number on, and the reasons of those that nothing takes; or one."""
    made = 0
    while made < count:
        problem = hard.drawn(seed, arms)
        row = judged(problem) if problem else "cannot be drawn"
        made += isinstance(row, Judged) or only
        seed += 1
        yield row


def report(rows: list[Judged], reasons: Counter[str], seconds: float) -> int:
    """Print what was found; the exit status."""
    lies = [row for row in rows if row.lies]
    right = [row for row in rows if row.true_digits >= RIGHT]
    refused = [row for row in right if row.refused]
    far = [row for row in rows if row.far_off]
    clear_lies = [row for row in lies if not row.blurred(row.lies)]
    clear_far = [row for row in far if not row.blurred(row.far_off)]
    certified = [row for row in rows if row.ok]
    share = len(refused) / max(1, len(right))
    print(f"{len(rows):,} problems, {seconds:.0f} s of processor time")
    print(f"{sum(reasons.values())} more cannot be drawn, or are taken by no program")
    for reason, times in reasons.most_common(6):
        print(f"    {times:4}  {reason}")
    print(f"{len(certified):,} certified; {len(right):,} with {RIGHT} true digits or more")
    print(f"lies:    {len(lies)} with fewer true digits than printed less one, {len(clear_lies)} beyond blur")
    print(f"refused: {len(refused)} of {len(right):,} with {RIGHT} true digits, {share:.1%}")
    unprinted = [row for row in certified if row.unprinted]
    if unprinted:
        print(f"unprinted: {len(unprinted)} certified with an answer of which no error is printed")
    compared = sum(1 for row in rows if row.printed)
    print(f"far off: {len(far)} of {compared:,} not within ten, {len(clear_far)} beyond blur")
    _table(rows)
    worst = sorted(lies, key=lambda row: row.true_digits - row.digits)
    distant = sorted(
        far, key=lambda row: -max(abs(math.log10(max(row.ratio(x), 1e-99))) for x in row.far_off)
    )
    for title, some in (
        ("unprinted", unprinted),
        ("lies", worst),
        ("refused", refused),
        ("far off", distant),
    ):
        for row in some[:_SHOWN]:
            print(f"\n{title}: {row}", end="")
        print(f"\n{title}: {len(some) - _SHOWN} more" if len(some) > _SHOWN else "")
    return int(bool(clear_lies or clear_far or unprinted) or share > MOST_REFUSED)


def _table(rows: list[Judged]) -> None:
    """By algorithm: problems, certified, lies, refused, far off."""
    print(f"\n{'algorithm':32} {'problems':>8} {'certified':>9} {'lies':>6} {'refused':>8} {'far off':>8}")
    for name in sorted({row.program["algorithm"] for row in rows}):
        own = [row for row in rows if row.program["algorithm"] == name]
        counts = (
            sum(row.ok for row in own),
            sum(bool(row.lies) for row in own),
            sum(row.refused for row in own),
            sum(bool(row.far_off) for row in own),
        )
        print(f"{name:32} {len(own):8} {counts[0]:9} {counts[1]:6} {counts[2]:8} {counts[3]:8}")


def main(count: int, seed: int, only: bool, file: Path | None, arms: Sequence[str]) -> int:
    """Run, and print; the exit status."""
    begun, rows, reasons = time.process_time(), [], Counter[str]()
    lines = file.open("w", encoding="utf-8") if file else None
    for row in campaign(count, seed, only, arms):
        if isinstance(row, str):
            reasons[row[:90]] += 1
            continue
        rows.append(row)
        if lines:
            print(json.dumps(asdict(row)), file=lines, flush=True)
    if lines:
        lines.close()
    if only:
        for row in rows:
            print(row)
    return report(rows, reasons, time.process_time() - begun)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--problems", type=int, default=2000, metavar="N", help="how many")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="number of the first")
    parser.add_argument("--only", type=int, metavar="N", help="the problem of this number alone")
    parser.add_argument("--quick", action="store_true", help="60 problems")
    parser.add_argument("--arms", nargs="+", choices=hard.ARMS, default=hard.ARMS, help="kinds of arm")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="a line of JSON for each problem")
    options = parser.parse_args()
    alone = options.only is not None
    number = 1 if alone else 60 if options.quick else options.problems
    sys.exit(main(number, options.only if alone else options.seed, alone, options.rows, options.arms))
