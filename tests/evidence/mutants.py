"""Mutants: a source file with one small change each, made by mutmut's operators and two that formulas ask for.

Of mutmut's operators those that keep a value's type: a number one larger, an arithmetic or bitwise operator turned into
its counterpart, ≤ for <, `and` for `or`, `+=` as `=`, a flag or a `not` the other way, a conditional expression that
knows one branch. What dies of a TypeError, such as None for a value, says nothing about a test, and what changes a text
says nothing about a formula. To these come a term, a factor or a condition left out, and a function turned into its
counterpart: floor for ceil, max for min. Annotations, decorators, imports and the `strict` of a zip are left alone.
"""

from __future__ import annotations

import ast
import difflib
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import libcst
from mutmut.mutation import mutators

KEPT = (
    mutators.operator_number,
    mutators.operator_name,
    mutators.operator_augmented_assignment,
    mutators.operator_remove_unary_ops,
    mutators.operator_keywords,
    mutators.operator_swap_op,
    mutators.operator_if_exp,
)
COUNTERPARTS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("fmin", "fmax"),
    ("floor", "ceil"),
    ("any", "all"),
    ('"left"', '"right"'),
)
OTHER = {one: other for pair in COUNTERPARTS for one, other in (pair, pair[::-1])}


def other_name(node: Any) -> Iterator[Any]:
    """Yield the counterpart of a function's name, and of the side that a search sorts equals to."""
    if node.value in OTHER:
        yield node.with_changes(value=OTHER[node.value])


def one_operand(node: Any) -> Iterator[Any]:
    """Yield each operand of a binary operation alone."""
    for operand in (node.left, node.right):
        yield operand.with_changes(lpar=[*node.lpar, *operand.lpar], rpar=[*operand.rpar, *node.rpar])


OPERATORS: tuple[tuple[Any, Callable[[Any], Iterable[Any]]], ...] = (
    *((kind, operator) for kind, operator in mutators.mutation_operators if operator in KEPT),
    ((libcst.Name, libcst.SimpleString), other_name),
    ((libcst.BinaryOperation, libcst.BooleanOperation), one_operand),
)
LEFT_ALONE = (libcst.Annotation, libcst.Decorator, libcst.Import, libcst.ImportFrom)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of one file: what its lines were and are, the first of them by number, and the whole file after it."""

    file: str
    line: int
    before: str
    after: str
    source: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Say which it is; stays the same while lines above it come and go."""
        return self.file, self.before, self.after

    def __str__(self) -> str:
        """Return it as a diff of its lines."""
        return f"{self.file}:{self.line}\n    - {self.before}\n    + {self.after}"


def sample(root: Path, folder: str, count: int, seed: int, *, part: str = "") -> list[Mutant]:
    """Return `count` mutants of the files under `folder` with `part` in their names, each place and operator as likely;
    fewer when there are no more. The same for the same seed and the same files.
    """
    names = [path.relative_to(root).as_posix() for path in sorted((root / folder).rglob("*.py"))]
    parsed = [Parsed(root, name) for name in names if part in name]
    every = [(file, place) for file in parsed for place in range(len(file.changes))]
    random.Random(seed).shuffle(every)
    found: dict[tuple[str, str, str], Mutant] = {}
    for file, place in every:
        if len(found) == count:
            break
        if mutant := file.mutant(place):
            found.setdefault(mutant.key, mutant)
    return list(found.values())


class Parsed:
    """A file and every change that can be made to it."""

    def __init__(self, root: Path, name: str) -> None:
        self.name, self.source = name, (root / name).read_text(encoding="utf-8")
        self.tree = libcst.parse_module(self.source)
        self.changes: list[tuple[Any, Any]] = [
            (node, changed)
            for node in _nodes(self.tree)
            for kind, operator in OPERATORS
            if isinstance(node, kind)
            for changed in operator(node)
        ]

    def mutant(self, place: int) -> Mutant | None:
        """Return the file after the change at `place`; None when it is no Python then, or the same program."""
        node, changed = self.changes[place]
        found: Any = self.tree.deep_replace(node, changed)
        source = str(found.code)
        try:
            same = ast.dump(ast.parse(source)) == ast.dump(ast.parse(self.source))
        except SyntaxError:
            return None
        old, new = self.source.splitlines(), source.splitlines()
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        edits = [block for block in blocks if block[0] != "equal"]
        if same or not edits:
            return None
        first, last = edits[0], edits[-1]
        before, after = old[first[1] : last[2]], new[first[3] : last[4]]
        return Mutant(file=self.name, line=first[1] + 1, before=_joined(before), after=_joined(after), source=source)


def _nodes(node: Any) -> Iterator[Any]:
    """Yield `node` and what is below it, without what is left alone."""
    if isinstance(node, LEFT_ALONE) or (
        isinstance(node, libcst.Arg) and node.keyword and node.keyword.value == "strict"
    ):
        return
    yield node
    for child in node.children:
        yield from _nodes(child)


def _joined(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines)
