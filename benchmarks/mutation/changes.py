"""Small changes of one expression: where there are any in a source, and the source with one of them."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_OTHER_FUNCTION = {"sin": "cos", "cos": "sin", "max": "min", "min": "max", "maximum": "minimum"}
_SWAPS_ARGUMENTS = ("cross", "outer", "minus", "zip", "subtract")
_TRANSPOSES = ("transposed",)

Alter = Callable[[ast.AST], ast.AST]


@dataclass(frozen=True)
class Change:
    """One change of one module."""

    module: str
    """`senn.algorithms...`"""
    path: str
    """From the root of the checkout."""
    line: int
    before: str
    after: str
    source: str
    """The whole module, changed."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}  {_short(self.before)}  ->  {_short(self.after)}"


def _short(text: str) -> str:
    return text if len(text) <= 48 else f"{text[:45]}..."


def drawn(
    root: Path, shares: Mapping[str, Sequence[str]], count: int, seed: int, only: str
) -> Iterator[tuple[str, Change]]:
    """Changes drawn from the seed, with the room of each; every room of `shares` (patterns) has a part."""
    rng = random.Random(seed)
    places: dict[str, list[tuple[Path, int]]] = {}
    for room, patterns in shares.items():
        files = sorted({path for pattern in patterns for path in root.glob(pattern)})
        found = [
            (path, k)
            for path in files
            if only in path.as_posix()
            for k in range(len(list(_places(ast.parse(path.read_text(encoding="utf-8"))))))
        ]
        if found:
            places[room] = found
    total = sum(map(len, places.values()))
    for room, found in places.items():
        own = min(len(found), max(round(count * len(found) / total), -(-count // 10)))
        for path, k in rng.sample(found, own):
            yield room, _change(root, path, k)


def _change(root: Path, path: Path, k: int) -> Change:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node, alter = list(_places(tree))[k]
    before, line = ast.unparse(node), node.lineno  # type: ignore[attr-defined]
    other = alter(copy.deepcopy(node))
    changed = ast.fix_missing_locations(_Replaced(node, other).visit(tree))
    name = path.relative_to(root).as_posix()
    module = "senn." + name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return Change(module, name, line, before, ast.unparse(other), ast.unparse(changed))


class _Replaced(ast.NodeTransformer):
    def __init__(self, node: ast.AST, other: ast.AST) -> None:
        self.node, self.other = node, other

    def visit(self, node: ast.AST) -> ast.AST:
        return self.other if node is self.node else self.generic_visit(node)


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, Alter]]:
    """Every expression that can be changed, and how; nothing in annotations, messages or decorators."""
    waiting = [tree]
    while waiting:
        node = waiting.pop(0)
        yield from ((node, alter) for alter in _alterations(node))
        waiting += _inside(node)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "exc", "msg", "type_params"):
            continue
        if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Raise):
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, ast.AST):
                yield one


def _alterations(node: ast.AST) -> Iterator[Alter]:
    if isinstance(node, ast.BinOp):
        yield from _of_operation(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield lambda one: one.operand  # type: ignore[attr-defined]
    elif isinstance(node, ast.AugAssign) and type(node.op) in _SWAPPED:
        yield _with_operator
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPPED:
        yield _with_comparison
    elif isinstance(node, ast.BoolOp):
        yield _with_operator
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield _other_number
    elif isinstance(node, ast.Attribute) and node.attr == "T":
        yield lambda one: one.value  # type: ignore[attr-defined]
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.IfExp):
        yield lambda one: one.orelse  # type: ignore[attr-defined]


def _of_operation(node: ast.BinOp) -> Iterator[Alter]:
    if type(node.op) in _SWAPPED:
        yield _with_operator
    if isinstance(node.op, ast.Add | ast.Sub):
        yield lambda one: one.left  # type: ignore[attr-defined]
    if isinstance(node.op, ast.MatMult | ast.Sub):
        yield _swapped_operands


def _of_call(node: ast.Call) -> Iterator[Alter]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in _OTHER_FUNCTION:
        yield _other_function
    if name in _SWAPS_ARGUMENTS and len(node.args) > 1:
        yield _swapped_arguments
    if name in _TRANSPOSES and len(node.args) == 1:
        yield lambda one: one.args[0]  # type: ignore[attr-defined]


def _with_operator(one: ast.AST) -> ast.AST:
    one.op = _SWAPPED[type(one.op)]()  # type: ignore[attr-defined]
    return one


def _with_comparison(one: ast.AST) -> ast.AST:
    one.ops[0] = _SWAPPED[type(one.ops[0])]()  # type: ignore[attr-defined]
    return one


def _swapped_operands(one: ast.AST) -> ast.AST:
    one.left, one.right = one.right, one.left  # type: ignore[attr-defined]
    return one


def _swapped_arguments(one: ast.AST) -> ast.AST:
    one.args[:2] = one.args[1::-1]  # type: ignore[attr-defined]
    return one


def _other_function(one: ast.AST) -> ast.AST:
    if isinstance(one.func, ast.Attribute):  # type: ignore[attr-defined]
        one.func.attr = _OTHER_FUNCTION[one.func.attr]  # type: ignore[attr-defined]
    else:
        one.func.id = _OTHER_FUNCTION[one.func.id]  # type: ignore[attr-defined]
    return one


def _other_number(one: ast.AST) -> ast.AST:
    """One more, of an index or a count; twice as much, of a factor; 1 in place of 0."""
    value = one.value  # type: ignore[attr-defined]
    one.value = value + 1 if type(value) is int else 2.0 * value or 1.0  # type: ignore[attr-defined]
    return one
