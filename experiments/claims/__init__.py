"""Claims of the paper as experiments: claim, measured figures, verdict."""

from experiments.claims import expense, factors, growth, hiding, networks
from experiments.claims.claim import FULL, QUICK, TEXTS, Claim, Finding, Scope, Table, Verdict

__all__ = ["CLAIMS", "FULL", "QUICK", "Claim", "Finding", "Scope", "Table", "Verdict", "claims"]

CLAIMS: dict[str, Claim] = {
    name: vars(module)[name.replace("-", "_")]
    for name in TEXTS
    for module in (expense, factors, growth, hiding, networks)
    if isinstance(vars(module).get(name.replace("-", "_")), Claim)
}
"""By name, in the order of the argument."""


def claims(*names: str, scope: Scope = FULL) -> dict[str, Finding]:
    """Findings of the experiments behind the paper's claims, by name of the claim; all without `names`.

    >>> from experiments.claims import QUICK, claims
    >>> claims("ldl-serially", scope=QUICK)["ldl-serially"].verdict.word
    'holds'
    """
    return {name: CLAIMS[name].examine(scope) for name in names or CLAIMS}
