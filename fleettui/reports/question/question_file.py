"""A question as YAML: every option of `plan` is a key, written with comments and read with line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fleettui.errors import Gathered, InputError, gathering
from fleettui.reports import located_yaml
from fleettui.reports.located_yaml import Part
from fleettui.reports.question.conversion import Given, Values, default_of
from fleettui.reports.question.key import Key
from fleettui.reports.question.keys import GROUPS, key_named

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
        start = f"{key.name}: {_scalar(default_of(key, values.get('model')))}"
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
    with gathering(errors) as aside:
        top = located_yaml.read_yaml(text, where, TEMPLATE, aside)
        if top is None:
            raise InputError("the file is empty", where=where, remedy=f"fleettui plan --write-question > {where}")
        if not isinstance(top.value, dict):
            raise InputError("this is no list of keys", where=f"{where} line {top.line}", accepted="key: value lines")
        return texts_of(top.value, where, aside)


def texts_of(parts: Mapping[str, Part], where: str, errors: Gathered) -> dict[str, Given]:
    """Return the texts of a mapping's parts by key; `errors` get what is wrong, with its line."""
    texts: dict[str, Given] = {}
    for name, part in parts.items():
        place = f"{where} line {part.line}"
        with errors.aside():
            key = key_named(name, place)
            if key.name in texts:
                raise InputError("this key stands twice", where=place, value=key.name)
            text = _text(part, f"{place}, {key.name}", key)
            if text is not None:
                texts[key.name] = Given(text, f"{place}, {key.name}")
    return texts


def _text(part: Part, where: str, key: Key) -> str | None:
    """Return a scalar, a list or a mapping as the option would have it: `a,b` or `a=1,b=2`; null is None."""
    match part.value:
        case None | str():
            return part.value
        case list() as items if all(_is_scalar(one) for one in items):
            return ",".join(map(_word, items))
        case dict() as named if all(_is_scalar(one) for one in named.values()):
            return ",".join(f"{name}={_word(one)}" for name, one in named.items())
    raise InputError("this value is nested too deep", where=where, accepted=f"for example {key.name}: {key.example}")


def _is_scalar(part: Part) -> bool:
    return not isinstance(part.value, list | dict)


def _word(part: Part) -> str:
    return "null" if part.value is None else str(part.value)
