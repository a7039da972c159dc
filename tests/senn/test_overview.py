"""The table of the family: laws and polynomials are those of hand counts, and every name runs."""

import json
from pathlib import Path

import pytest

from senn import overview
from senn.algorithms.catalogue import ALGORITHMS
from senn.base.errors import InputError

HEAD = "# Counted by: python -m tests.senn.test_overview > src/senn/overview.toml"


def counted() -> str:
    """overview.toml as it has to be."""
    lines = [HEAD]
    for name, algorithm in ALGORITHMS.items():
        columns = (f"{key} = {json.dumps(value)}" for key, value in overview.counted(algorithm).items())
        lines.append(f"{name} = {{ {', '.join(columns)} }}")
    return "\n".join(lines)


def test_the_kept_columns_are_counted_anew() -> None:
    """overview.toml, which `senn list algorithms` reads, for every algorithm."""
    assert Path(overview.__file__).with_suffix(".toml").read_text() == f"{counted()}\n"


def test_the_closed_chain_has_the_published_laws() -> None:
    """19 M + 10 and 43 M + 55 instructions and 39 M + 11 network steps: `senn steps`, counted elsewhere."""
    (row,) = overview.catalogue("closed-chain").values()
    assert row["steps"] == "19 M + 10, 43 M + 55; network 39 M + 11"
    assert (row["runs_on"], row["operations"]) == ("the machine", "")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (lambda n: 0, "0"),
        (lambda n: 7, "7"),
        (lambda n: 1 - n, "-n + 1"),
        (lambda n: (n**3 + 45 * n**2 + 1340 * n + 2424) // 6, "n^3/6 + 15 n^2/2 + 670 n/3 + 404"),
    ],
)
def test_a_polynomial_is_written_as_one_would(count, text) -> None:
    assert overview.polynomial([count(n) for n in range(3, 12)], "n") == text


def test_what_is_no_polynomial_is_not_called_one() -> None:
    with pytest.raises(ValueError, match="follow no polynomial of degree 4"):
        overview.polynomial([2**n for n in range(3, 12)], "n")


def test_an_unknown_name_is_told_what_there_is() -> None:
    with pytest.raises(InputError, match='algorithm "abi" is not known: choose closed-chain'):
        overview.catalogue("abi")
    assert list(ALGORITHMS) == list(overview.catalogue())


if __name__ == "__main__":
    print(counted())
