"""Texts that are nearly valid: by the grammar of what they are, by their bytes, and by hypothesis."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import tomllib
from collections.abc import Callable
from typing import Any

import yaml
from hypothesis import strategies as st

WORDS = (
    "", " ", "0", "-1", "1", "1e9", "1e400", "-1e400", "nan", "inf", "1_000", "9" * 400, "9" * 5000, "0x10", "1.5",
    "true", "null", "~", "none", "auto", "all", "h100", "h100,h100", "tp", "50%", "-5%", "1000%", "1:2", "2:1", "x",
    "a=b", "=", ",", ":", "::", "1/s", "1/0", "5min", "-5min", "99999h", "1e9/day", "p50=900,p99=8k", "p99=1", "../x",
    "/dev/null", "ä", "\u202e", "\x1b[31m", "\x00", "'", '"', "[", "{", "}", "]", "#", "&a", "*a", "a" * 9000,
    "!!python/object:os.system", "2026-02-30", "2026-11-25", "00:00", "24:00", "25:61", "tcp://x:1", "tls://", "last",
    "last~99999999999999999999", "@1",
)  # fmt: skip
"""Values that somebody may write where another kind is wanted."""
VALUES: tuple[Any, ...] = (
    *WORDS, None, True, False, 0, -1, 1, 2**63, -(2**63), 10**400, 0.0, -0.0, 1e308, -1e308, 5e-324, float("nan"),
    float("inf"), [], {}, [[]], [None], {"": None}, ["a"] * 300, list(range(300)),
)  # fmt: skip
DEEP = (10, 39, 41, 1000, 30_000)
Tree = Any


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return a text near `data`: its tree changed where it has one, its bytes where it has none or by chance."""
    packed = data[:2] == b"\x1f\x8b"
    text = gzip.decompress(data) if packed else data
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        text = (_tree if chance.random() < 0.6 else _bytes)(text, chance)
    if packed and chance.random() < 0.95:
        return gzip.compress(text, 1)
    return text if not packed or chance.random() < 0.5 else _bytes(data, chance)


def _tree(data: bytes, chance: random.Random) -> bytes:
    for read, write in FORMS:
        try:
            tree = read(data.decode())
        except (ValueError, yaml.YAMLError, csv.Error, RecursionError):
            continue
        if isinstance(tree, dict | list) and tree:
            try:
                return write(_changed(tree, chance)).encode("utf-8", "surrogatepass")
            except (ValueError, TypeError, AttributeError, RecursionError, yaml.YAMLError, csv.Error):
                return _bytes(data, chance)
    return _bytes(data, chance)


def _read_lines(text: str) -> Tree:
    lines = text.splitlines()
    if len(lines) < 2:
        raise ValueError("one line")
    return [json.loads(line) for line in lines]


def _read_table(text: str) -> Tree:
    rows = list(csv.reader(io.StringIO(text)))
    if not rows or len(rows[0]) < 2 or ":" in rows[0][0]:
        raise ValueError("no table")
    return rows


def _write_table(rows: Tree) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row if isinstance(row, list) else [row] for row in rows)
    return out.getvalue()


def _write_lines(rows: Tree) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _write_toml(tree: Tree) -> str:
    def value(one: Tree) -> str:
        return json.dumps(one) if not isinstance(one, dict) else "{" + ", ".join(
            f"{json.dumps(str(name))} = {value(part)}" for name, part in one.items()) + "}"  # fmt: skip

    return "".join(f"{json.dumps(str(name))} = {value(one)}\n" for name, one in tree.items())


def _read_yaml(text: str) -> Tree:
    return yaml.safe_load(text)


def _write_yaml(tree: Tree) -> str:
    return str(yaml.safe_dump(tree))


FORMS: tuple[tuple[Callable[[str], Tree], Callable[[Tree], str]], ...] = (
    (json.loads, json.dumps),
    (_read_lines, _write_lines),
    (tomllib.loads, _write_toml),
    (_read_table, _write_table),
    (_read_yaml, _write_yaml),
)
"""What a text may be, and how it is written again."""


def _changed(tree: Tree, chance: random.Random) -> Tree:
    """Return the tree with one of its parts changed."""
    if not isinstance(tree, dict | list) or not tree or chance.random() < 0.15:
        return _replaced(tree, chance)
    if isinstance(tree, dict):
        name, act = chance.choice([*tree]), chance.random()
        if act < 0.7:
            return {**tree, name: _changed(tree[name], chance)}
        rest = {key: value for key, value in tree.items() if key != name}
        return rest if act < 0.85 else {**rest, str(chance.choice(WORDS)): tree[name]}
    place, act = chance.randrange(len(tree)), chance.random()
    if act < 0.7:
        return [*tree[:place], _changed(tree[place], chance), *tree[place + 1 :]]
    return [*tree[:place], *([tree[place]] * chance.choice((0, 2, 50))), *tree[place + 1 :]]


def _replaced(value: Tree, chance: random.Random) -> Tree:
    act = chance.random()
    if act < 0.1:
        for _ in range(chance.choice(DEEP[:3])):
            value = [value]
        return value
    if act < 0.3 and isinstance(value, int | float) and not isinstance(value, bool):
        return value * chance.choice((-1, 0, 10, 1e6, 1e-6))
    if act < 0.4 and isinstance(value, str):
        return value + str(chance.choice(WORDS))
    return chance.choice(VALUES)


def _bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    end = min(len(data), at + chance.choice((1, 1, 4, 40)))
    before, piece, after = data[:at], data[at:end], data[end:]
    lines = data.splitlines(keepends=True)
    chance.shuffle(lines)
    opening = chance.choice((b"[", b"{", b"{a: ", b"- ", b'{"a":', b"(")) * chance.choice(DEEP)
    mark = chance.choice((b"\r", b"\xff", b"\xef\xbb\xbf", b"\x00", b"\xed\xa0\x80", b"\t"))
    word = chance.choice(WORDS).encode("utf-8", "surrogatepass")
    changed = (
        before,
        before + after,
        before + chance.randbytes(len(piece)) + after,
        before + piece * chance.choice((2, 100)) + after,
        before + opening + piece + after,
        b"".join(lines),
        before + mark + piece + after,
        before + word + after,
    )
    return chance.choice(changed)


def texts(data: bytes) -> st.SearchStrategy[bytes]:
    """Return what hypothesis makes near `data`: any bytes, any JSON, and pieces of it among others."""
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(VALUES)
    trees = st.recursive(
        leaves, lambda one: st.lists(one) | st.dictionaries(st.text() | st.sampled_from(_names(data)), one)
    )
    cut = st.integers(0, len(data))
    spliced = st.tuples(cut, cut, st.binary(max_size=30) | st.text(max_size=30).map(lambda one: one.encode())).map(
        lambda cuts: data[: min(cuts[:2])] + cuts[2] + data[max(cuts[:2]) :]
    )
    return (
        st.binary(max_size=300)
        | trees.map(lambda tree: json.dumps(tree).encode())
        | spliced
        | st.text().map(str.encode)
    )


def _names(data: bytes) -> list[str]:
    try:
        found = yaml.safe_load(data.decode())
    except (ValueError, yaml.YAMLError):
        found = None
    return [str(name) for name in found] if isinstance(found, dict) and found else ["a"]
