"""A question as YAML: every option of `plan` is a key, written with comments and read with line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fleettui.errors import Gathered, InputError, gathering
from fleettui.reports import located_yaml
from fleettui.reports.question.conversion import Given, Values
from fleettui.reports.question.key import Key
from fleettui.reports.question.keys import GROUPS, key_named

if TYPE_CHECKING:
    from yaml import Node

HEAD = """\
# A question for fleettui: fleettui plan -f FILE
# Every option of `fleettui plan` is a key here. Lines that begin with # are not set; options win over the file.
"""
TEMPLATE = "fleettui plan --write-question shows one"
_PLAIN = re.compile(r"[A-Za-z0-9.][A-Za-z0-9._/+,=%-]*")


def write(values: Values) -> str:
    """Return `values` as commented YAML: each key with its value or default, the others as comments."""
    blocks = ["\n".join([f"# {group.about}", *(_line(key, values) for key in group.keys), ""]) for group in GROUPS]
    return "\n".join([HEAD, *blocks])


def short(values: Values, keys: Iterable[Key]) -> str:
    """Return those of `values` that are `keys` as YAML, a line each."""
    return "\n".join(f"{key.name}: {_scalar(key.write(values[key.name]))}" for key in keys if key.name in values)


def _line(key: Key, values: Values) -> str:
    other_demand = key.demand and key.demand not in values
    if key.name in values:
        start = f"{key.name}: {_scalar(key.write(values[key.name]))}"
    elif key.default and not other_demand:
        start = f"{key.name}: {_scalar(key.default)}"
    else:
        start = f"# {key.name}: {_scalar(key.example)}"
    return f"{start:<34}  # {key.help}"


def _scalar(text: str) -> str:
    """Return `text` as a YAML scalar that reads back as the same text.

    >>> _scalar("p50=900,p99=8k"), _scalar("spring: 1")
    ('p50=900,p99=8k', '"spring: 1"')
    """
    if _PLAIN.fullmatch(text) and text not in located_yaml.NOTHING:
        return text
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return f"\\U{ord(character):08x}"


def read(text: str, where: str, errors: Gathered | None = None) -> dict[str, Given]:
    """Return the texts of a question file; `where` names it. Raises InputError with the lines of what is wrong.

    What is wrong with a key is put aside in `errors` where they are given.
    """
    import yaml

    node = located_yaml.compose(text, where, TEMPLATE)
    if node is None:
        raise InputError("the file is empty", where=where, remedy=f"fleettui plan --write-question > {where}")
    if not isinstance(node, yaml.MappingNode):
        raise InputError(
            "this is no list of keys", where=f"{where} line {located_yaml.line_of(node)}", accepted="key: value lines"
        )
    with gathering(errors) as aside:
        return texts_of(node.value, where, aside)


def texts_of(pairs: Iterable[tuple[Node, Node]], where: str, errors: Gathered) -> dict[str, Given]:
    """Return the texts of a mapping's pairs of key and value; `errors` get what is wrong, with its line."""
    texts: dict[str, Given] = {}
    for key_node, value_node in pairs:
        place = f"{where} line {located_yaml.line_of(key_node)}"
        with errors.aside():
            key = key_named(str(key_node.value), place)
            if key.name in texts:
                raise InputError("this key stands twice", where=place, value=key.name)
            value = _text(value_node, f"{place}, {key.name}", key)
            if value is not None:
                texts[key.name] = Given(value, f"{place}, {key.name}")
    return texts


def _text(node: Node, where: str, key: Key) -> str | None:
    """Return a scalar, a list or a mapping as the option would have it: `a,b` or `a=1,b=2`; null is None."""
    import yaml

    if isinstance(node, yaml.ScalarNode):
        return None if located_yaml.is_nothing(node) else str(node.value)
    if isinstance(node, yaml.SequenceNode) and all(isinstance(item, yaml.ScalarNode) for item in node.value):
        return ",".join(item.value for item in node.value)
    if isinstance(node, yaml.MappingNode) and all(isinstance(item, yaml.ScalarNode) for _, item in node.value):
        return ",".join(f"{name.value}={item.value}" for name, item in node.value)
    raise InputError("this value is nested too deep", where=where, accepted=f"for example {key.name}: {key.example}")
