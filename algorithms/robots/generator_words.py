"""The words that ask for a generated arm, as `random:16:seed=1`: taken apart and checked."""

from dataclasses import dataclass

from senn.machine.program.values import LARGEST
from senn.traces.errors import InputError

LARGEST_SEED = 2**63 - 1
"""Of everything that is drawn: what tables of runs can hold."""

DESCRIPTIONS = {
    "random:N": "compact random arm, all revolute (prismatic=0.3: that share of prismatic joints; seed=S)",
    "snake:N": "snake robot, modules of 0.94/16 m and 2.9/16 kg, yaw and pitch in turn",
    "rods:N": "solid cylinders in random directions (slenderness=0.1: radius/length; seed=S)",
    "joints:WORD": "random links and the joints of WORD: R(evolute) P(rismatic) H(elical) C(ylindrical) "
    "U(niversal) E (planar) S(pherical) F(ree) X (welded), as joints:FRRSX (seed=S)",
}
LETTERS = {
    "R": "revolute",
    "P": "prismatic",
    "H": "helical",
    "C": "cylindrical",
    "U": "universal",
    "E": "planar",
    "S": "spherical",
    "F": "free",
    "X": "welded",
}
"""The letters of `joints:WORD`."""

_OPTIONS: dict[str, dict[str, float]] = {
    "random": {"prismatic": 0.0},
    "snake": {},
    "rods": {"slenderness": 0.1},
    "joints": {},
}
_FORMS = "random:N[:prismatic=0.3], snake:N, rods:N[:slenderness=0.1], joints:WORD, each with [:seed=S]"


@dataclass(frozen=True)
class Words:
    """A generator text, taken apart and checked."""

    kind: str
    n: int
    seed: int
    options: dict[str, float]
    joints: str = ""
    """The letters of `joints:WORD`."""


def is_text(text: str) -> bool:
    """Whether this text asks for a generator (well formed or not)."""
    return text.split(":", 1)[0] in _OPTIONS


def parse(text: str) -> Words:
    """Take a generator text apart; `InputError` names the word that is wrong."""
    kind, *words = text.split(":")
    if kind not in _OPTIONS:
        raise InputError(f"'{text}': there is no generator '{kind}'; use {_FORMS}")
    plain = [word for word in words if "=" not in word]
    n = _letters(text, plain) if kind == "joints" else _count(text, plain)
    seed, options, seen = 0, dict(_OPTIONS[kind]), set()
    for key, _, value in (word.partition("=") for word in words if "=" in word):
        if key in seen:
            raise InputError(f"'{text}': '{key}' is given twice")
        seen.add(key)
        if key == "seed":
            if not (value.isascii() and value.isdigit() and len(value) < 20 and int(value) <= LARGEST_SEED):
                raise InputError(f"'{text}': the seed is a whole number, 0 to {LARGEST_SEED}, not '{value}'")
            seed = int(value)
        elif key in options:
            options[key] = _number(text, key, value)
        else:
            known = ", ".join([*options, "seed"])
            raise InputError(f"'{text}': '{kind}' has no option '{key}'; it has: {known}")
    return Words(kind, n, seed, options, plain[0] if kind == "joints" else "")


def _count(text: str, words: list[str]) -> int:
    if len(words) != 1 or not words[0].isascii() or not words[0].isdigit() or not words[0].strip("0"):
        raise InputError(f"'{text}': exactly one number of joints, 1 or more, is needed; use {_FORMS}")
    digits = words[0].lstrip("0")
    if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
        shown = digits[:20] + "..." * (len(digits) > 20)
        raise InputError(_TOO_MANY.format(text=text, number=shown))
    return int(digits)


def _letters(text: str, words: list[str]) -> int:
    if len(words) != 1 or not words[0]:
        raise InputError(f"'{text}': exactly one word of joints is needed, as RSPRRU; use {_FORMS}")
    for letter in words[0]:
        if letter not in LETTERS:
            known = ", ".join(f"{letter} {joint}" for letter, joint in LETTERS.items())
            raise InputError(f"'{text}': there is no joint '{letter}'; the letters are {known}")
    if len(words[0]) > LARGEST:
        raise InputError(_TOO_MANY.format(text=f"{text[:20]}...", number=len(words[0])))
    return len(words[0])


_TOO_MANY = (
    f"'{{text}}': {{number}} joints are more than this machine model is made for; take at most {LARGEST}"
)


def _number(text: str, key: str, value: str) -> float:
    low, high, meaning = {
        "prismatic": (0.0, 1.0, "a share between 0 and 1"),
        "slenderness": (1e-6, 1.0, "radius/length, between 1e-6 and 1"),
    }[key]
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise InputError(f"'{text}': {key} is {meaning}, not '{value}'")
    return number
