"""YAML and JSON text as parts that know their line, so that a refusal can name it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fleettui.errors import Gathered, InputError, gathering

if TYPE_CHECKING:
    from yaml import Node

NOTHING = ("", "null", "~")
MOST_PARTS, DEEPEST = 100_000, 40
MOST_WRITTEN = 20_000
"""Values that stand in YAML, which takes a thousand times as long to read as JSON does."""
ACCEPTED = "key: value lines"


@dataclass(frozen=True, slots=True)
class Part:
    """A mapping, a list or a text (None: nothing is said) with the line on which it begins, unknown in JSON."""

    value: dict[str, Part] | list[Part] | str | None
    line: int | None = None


def read(text: str, where: str, remedy: str) -> Part:
    """Return `text`, JSON if it begins with a brace and else YAML; scalars stay the texts that they are.

    `where` names the file and `remedy` is what to do about one that does not read. Raises InputError.
    """
    if text.lstrip().startswith("{"):
        return _read_json(text, where, remedy)
    with gathering(None) as errors:
        found = read_yaml(text, where, remedy, errors)
    if found is None:
        raise InputError("the file is empty", where=where, remedy=remedy)
    return found


def read_yaml(text: str, where: str, remedy: str, errors: Gathered) -> Part | None:
    """Return YAML `text`, None of an empty one; raises InputError with the line of what is wrong.

    Of a key that stands twice the first is kept, and `errors` get the second.
    """
    import yaml

    try:
        node = _composed(text, where)
        return None if node is None else _Parts(where, errors).of_node(node, _line_of(node))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where} line {mark.line + 1}" if mark else where
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise InputError(f"this is no YAML: {problem}", where=place, accepted=ACCEPTED, remedy=remedy) from None
    except RecursionError:
        raise _too_deep(where) from None


def _composed(text: str, where: str) -> Node | None:
    """Return the nodes of YAML, which ends at the first that is too deep, or one too many; raises InputError there."""
    import yaml

    class Bounded(yaml.BaseLoader):
        depth = count = 0

        def compose_node(self, parent: Node | None, index: Any) -> Node | None:
            self.depth, self.count = self.depth + 1, self.count + 1
            line = f"{where} line {self.line + 1}"
            if self.depth > DEEPEST:
                raise _too_deep(line)
            if self.count > MOST_WRITTEN:
                raise InputError(
                    "too many values stand in the file",
                    where=line,
                    accepted=f"up to {MOST_WRITTEN:,}",
                    remedy="a question or a fleet has few; a plan's JSON is for check --against",
                )
            node: Node | None = super().compose_node(parent, index)
            self.depth -= 1
            return node

    loader = Bounded(text)
    try:
        found: Node | None = loader.get_single_node()
        return found
    finally:
        loader.dispose()


def _line_of(node: Node) -> int:
    """Return the line, from 1, on which a node begins."""
    return int(node.start_mark.line) + 1


class _Parts:
    """Makes parts of nodes; counts them, because a few lines of YAML can stand for any number."""

    def __init__(self, where: str, errors: Gathered) -> None:
        self.where, self.errors = where, errors
        self.count = 0

    def of_node(self, node: Node, line: int, depth: int = 0) -> Part:
        import yaml

        self.count += 1
        if self.count > MOST_PARTS or depth > DEEPEST:
            raise _too_deep(f"{self.where} line {line}")
        if isinstance(node, yaml.MappingNode):
            return Part(self._mapping(node, depth), line)
        if isinstance(node, yaml.SequenceNode):
            return Part([self.of_node(item, _line_of(item), depth + 1) for item in node.value], line)
        is_nothing = getattr(node, "style", "") is None and node.value in NOTHING
        return Part(None if is_nothing else str(node.value), line)

    def _mapping(self, node: Any, depth: int) -> dict[str, Part]:
        found: dict[str, Part] = {}
        for key, value in node.value:
            name, line = str(key.value), _line_of(key)
            if name not in found:
                found[name] = self.of_node(value, line, depth + 1)
                continue
            with self.errors.aside():
                raise _twice(name, f"{self.where} line {line}")
        return found


def _read_json(text: str, where: str, remedy: str) -> Part:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
            raise _twice(name, where)
        return found

    try:
        return _of_plain(json.loads(text, object_pairs_hook=unique, parse_int=str, parse_float=str))
    except json.JSONDecodeError as error:
        place = f"{where} line {error.lineno}"
        raise InputError(f"this is no JSON: {error.msg}", where=place, remedy=remedy) from None
    except RecursionError:
        raise _too_deep(where) from None


def _of_plain(value: Any) -> Part:
    if isinstance(value, dict):
        return Part({name: _of_plain(item) for name, item in value.items()})
    if isinstance(value, list):
        return Part([_of_plain(item) for item in value])
    return Part(None if value is None else str(value))


def _twice(name: str, where: str) -> InputError:
    return InputError("this key stands twice", where=where, value=name)


def _too_deep(where: str) -> InputError:
    return InputError("this is nested too deep, or repeats itself without end", where=where)
