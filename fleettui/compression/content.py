"""What a prompt consists of: prose that may be cut, and blocks of code, JSON, tables and logs that may not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

Structured = Literal["code", "json", "table", "log"]
Category = Literal["prose", "rag", "mixed", "code", "json", "table", "log"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
REFUSED: tuple[Structured, ...] = get_args(Structured)
"""Categories of prompts that are not compressed: what is cut out of them would break the rest."""
MOSTLY, LOOSE, PARTLY = 0.5, 0.2, 0.05
"""Above which share of its characters a prompt is of a structured category, in all and without fences, or is mixed.

What stands in no fence has no sure ends, so that less of it is enough.
"""
_HEAD, _LEAST_DENSE, _FEW_LETTERS = 300, 8, 0.5
"""Of a line as many characters are looked at; of that many and more, fewer letters than this share are no text."""
_LEAST_LINES, _LEAST_JSON, _LEAST_PASSAGES = 3, 80, 2
_FENCE = re.compile(r"\s{0,3}(```|~~~)\s*(\w*)")
_LOG = re.compile(
    r"\s*+\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d[,. ]"
    r"|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|\d{1,3}(?:\.\d{1,3}){3} - )"
)
_JSON = re.compile(r'\s*(?:[{}\[\]]+,?|"(?:[^"\\]|\\.)*"\s*(?::.*|,))\s*$')
_CODE = re.compile(
    r"\s*+(?:(?:async )?def \w|class \w+[(:{ ]?[^.]*[:{]$|import [\w.{]+|from [\w.]+ import |#include|#!|//|/\*|\*/"
    r"|@\w+|(?:return|raise|yield|await|throw|assert|del|break|continue|pass)\b[^.,]*$"
    r"|(?:if|for|while|with|elif|switch)\b.*[:{]$|(?:else|try|finally)\s*[:{]|except\b.*:$"
    r"|(?:public|private|protected|static|const|let|var|func|fn|function|package|use) \w"
    r"|#\s*(?:if|ifdef|ifndef|endif|define|undef|else|pragma)\b|(?:extern|typedef|struct|enum|namespace|template)\b"
    r"|</?\w+[^>]*>\s*$|(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\b)"
)
_CODE_STARTS, _CODE_ENDS = (")", "]", "}"), (";", "{", "}")
_ASSIGNED, _CALLED, _INDEXED = map(re.compile, (r"[^=!<>]==?[^=]", r"\w\((?:\w*\)|[^)]*\)\s*[:{,]?\s*$)", r"\w\[\w+\]"))
_PASSAGE = re.compile(
    r"\s*+(?=[\[#<dpscera])(?:\[\d+\]|#*+\s*+(?:document|passage|source|context|chunk|excerpt|reference|article)\s*(?:\[?\d+\]?)?\s*[:.)\]-]"
    r"|<(?:doc|document|passage|context)\b)",
    re.IGNORECASE,
)
_LETTERS = b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ENDINGS = (".", "!", "?", "…", '"', "”", "。", "！", "？")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a prompt that belong together; `kind` is None for text."""

    text: str
    kind: Structured | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """A prompt's category and its blocks; their texts joined are the prompt."""

    category: Category
    blocks: tuple[Block, ...]


def content_of(text: str) -> Content:
    """Return what `text` consists of.

    >>> content_of("Read this. It matters.").category
    'prose'
    >>> content_of("```python\\nprint(1)\\n```").category
    'code'
    """
    runs = tuple(_runs(text))
    return Content(_category(text, runs), tuple(_blocks(runs)))


def _category(text: str, runs: tuple[Run, ...]) -> Category:
    whole = max(len(text), 1)
    fenced = sum(len(line) for kind, lines in runs if kind == "fence" for line in lines)
    sizes: dict[Structured, int] = dict.fromkeys(REFUSED, 0)
    for kind, lines in runs:
        if kind is not None and kind != "fence":
            sizes[kind] += sum(map(len, lines))
    loose = sum(sizes.values())
    if (fenced + loose) / whole > MOSTLY or loose / whole > LOOSE:
        return max(sizes, key=lambda kind: sizes[kind] + fenced * (kind == "code"))
    if (fenced + loose) / whole >= PARTLY:
        return "mixed"
    passages = filter(_PASSAGE.match, text.split("\n"))
    return "rag" if len(list(islice(passages, _LEAST_PASSAGES))) == _LEAST_PASSAGES else "prose"


def _blocks(runs: tuple[Run, ...]) -> Iterator[Block]:
    """Yield fences and runs of structured lines as blocks of their own, what is between them as text."""
    plain: list[str] = []
    for kind, lines in runs:
        if kind is None or not _is_block(kind, lines):
            plain += lines
            continue
        if plain:
            yield Block("".join(plain))
            plain = []
        yield Block("".join(lines), "code" if kind == "fence" else kind)
    if plain:
        yield Block("".join(plain))


Kind = Structured | Literal["fence"] | None
Run = tuple[Kind, list[str]]


def _is_block(kind: Kind, lines: list[str]) -> bool:
    """Return whether structured lines are enough to be kept whole: a fence, three lines, or a long line of JSON."""
    filled = [line for line in lines if line.strip()]
    return kind == "fence" or len(filled) >= _LEAST_LINES or (kind == "json" and len(filled[0]) >= _LEAST_JSON)


def _runs(text: str) -> Iterator[Run]:
    """Yield runs of lines of one kind; a blank line belongs to the run before it."""
    kind: Kind = None
    fence = ""
    run: list[str] = []
    for line in _lines(text):
        mark = _FENCE.match(line)
        found: Kind = "fence"
        if fence:
            fence = "" if mark and mark[1] == fence and not mark[2] else fence
        elif mark and mark[1] not in line[mark.end() :]:
            fence = mark[1]
        elif not line.strip():
            found = None if kind == "fence" else kind
        else:
            found = _kind(line)
        if found != kind:
            yield kind, run
            kind, run = found, []
        run.append(line)
    yield kind, run


def _lines(text: str) -> list[str]:
    """Return the lines of `text` with their line feeds."""
    *whole, last = text.split("\n")
    return [line + "\n" for line in whole] + ([last] if last else [])


def _kind(line: str) -> Structured | None:
    """Return what a line that is not blank is a line of, None for text."""
    told = line.strip()
    if _LOG.match(line):
        return "log"
    if told.endswith(_ENDINGS) and told.count(" ") >= 3 and not told.startswith(("|", "{", "//")):
        return None
    if _is_json(told):
        return "json"
    head = told[:_HEAD]
    if len(head) >= _LEAST_DENSE and _letters(head) < _FEW_LETTERS * len(head):
        return "json" if told[0] in '[{"' else "table"
    if told.count("|") >= 2 or told.count("\t") >= 2 or told.count(",") - told.count(", ") >= 3:
        return "table"
    return "code" if _CODE.match(line) or _has_code_marks(line, told) else None


def _has_code_marks(line: str, told: str) -> bool:
    """Return whether a line, `told` without the space around it, has what only code has."""
    return (
        told.startswith(_CODE_STARTS)
        or told.endswith(_CODE_ENDS)
        or ("=" in line and ("=>" in line or _ASSIGNED.search(line) is not None))
        or ("(" in line and _CALLED.search(line) is not None)
        or ("[" in line and _INDEXED.search(line) is not None)
        or "->" in line
        or "::" in line
    )


def _letters(told: str) -> int:
    """Return how many letters and spaces a piece of a line has."""
    if told.isascii():
        return len(told) - len(told.encode().translate(None, _LETTERS))
    return sum(map(str.isalpha, told)) + told.count(" ")


def _is_json(told: str) -> bool:
    if told[0] not in '{}[]"':
        return False
    if _JSON.match(told):
        return True
    if told[0] not in "{[" or told[-1] not in "}]":
        return False
    try:
        found = json.loads(told)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) or len(told) >= _LEAST_JSON
