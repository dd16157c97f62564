"""The last line of a question that is asked line by line: further keys and their texts, `confidence=90% budget=40/h`.

It says only the keys that it names: the others stay as they are where nobody says them. A key with no text behind its
sign has none, whatever the settings say.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from types import MappingProxyType

from fleettui.errors import InputError
from fleettui.reports.question.five_lines import Phrase
from fleettui.reports.question.keys import BY_NAME, key_named
from fleettui.reports.question.text_forms import FLAG

ALSO, SETS = "also", "="
"""The line's name, and what stands between a key and its text."""
LISTING = "e"
"""The app's key that lists all keys of a question."""
NAME = "name"
"""The key that no question takes over from another."""
NO_OTHER: Mapping[str, str] = MappingProxyType({})
ACCEPTED = "confidence=90% price=h100=2.10 budget=40/h, any key that no other line says; or nothing"


def line_beside(others: Iterable[Phrase], names: Collection[str] = BY_NAME.keys()) -> Phrase:
    """Return the line for those of the keys called `names` that no other line says."""
    said = {name: other.label for other in others for name in other.keys}
    keys = tuple(name for name in BY_NAME if name in names and name not in said)
    return Phrase(name=ALSO, label=ALSO, accepted=ACCEPTED, keys=keys, reader=partial(read, said=said), writer=write)


def read(text: str, line: Phrase, said: Mapping[str, str] = NO_OTHER) -> dict[str, str]:
    """Return the text of every key that is named, empty where it is to have none.

    A text with blanks stands in quotes, and a key that is yes or no needs none; `said` are the labels of the lines that
    say the other keys. Raises InputError.
    """
    found: dict[str, str] = {}
    for word in _words(text, line):
        name, sign, given = word.partition(SETS)
        key = key_named(name, ALSO, LISTING)
        if key.name not in line.keys:
            other = f": the line {said[key.name]} says it" if key.name in said else ""
            raise line.refusal(f"{key.name} is no key of this line{other}", word)
        if key.name in found:
            raise line.refusal(f"{key.name} is said twice", text)
        if not sign and not key.is_flag:
            raise InputError(f"{key.name} has no text", where=ALSO, value=word, accepted=_with(key.name, key.example))
        found[key.name] = given if sign else FLAG.write(True)
        if found[key.name]:
            key.read(found[key.name], f"{ALSO}, {key.name}")
    return found


def write(texts: Mapping[str, str]) -> str:
    """Return the line that reads back as `texts`.

    >>> write({"confidence": "90%", "budget": "", "profile": "of may"})
    "confidence=90% budget= profile='of may'"
    """
    return " ".join(_with(name, shlex.quote(text) if text else "") for name, text in texts.items())


def _with(name: str, text: str) -> str:
    return f"{name}{SETS}{text}"


def _words(text: str, line: Phrase) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise line.refusal("a quote is open", text) from None
