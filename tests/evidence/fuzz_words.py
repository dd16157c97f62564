"""Words for the command line: those that the README and every command's help give, some of them changed."""

from __future__ import annotations

import random
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.main import get_command

from fleettui.cli.root import OWN_COMMANDS, app
from fleettui.planning.studies import commands
from tests.evidence.fuzz_mutations import WORDS

README = Path(__file__).parents[2] / "README.md"
EVER = frozenset({"serve", "open", "doctor"})
"""Commands that go on until they are stopped, or look at the whole machine."""
AT_HOME = frozenset(
    {
        "archive",
        "compare",
        "config",
        "diff",
        "engine",
        "export",
        "gpu",
        "jobs",
        "list",
        "model",
        "name",
        "note",
        "show",
        "tag",
    }
)
"""Commands that read or change the store alone, and start no worker: they get one that opens."""
_LINE = re.compile(r"fleettui ((?:[^`\n\\]|\\\n)+)")


@dataclass(frozen=True)
class Words:
    """Lines that are right, and the options of each command."""

    lines: tuple[tuple[str, ...], ...]
    options: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls) -> Words:
        """Return the lines of the README and of the studies' help."""
        texts = [README.read_text("utf-8"), *(one.epilog or "" for one in commands().values())]
        known, found = {*OWN_COMMANDS, *commands()} - EVER, set()
        for text in texts:
            for line in _LINE.findall(text):
                try:
                    words = tuple(shlex.split(line.replace("\\\n", " "), comments=True))
                except ValueError:
                    continue
                if words and words[0] in known and not {"|", ">", ">>"} & {*words}:
                    found.add(words)
        return cls(tuple(sorted(found)), {name: tuple(_options(name)) for name in {line[0] for line in found}})

    def line(self, chance: random.Random) -> tuple[tuple[str, ...], bool]:
        """Return a line near a right one, and whether it may have a store that opens."""
        words = [*chance.choice(self.lines)]
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            at, act = chance.randrange(1, len(words) + 1), chance.randrange(6)
            if act == 0 and at < len(words):
                del words[at]
            elif act == 1 and at < len(words):
                words[at] = chance.choice(WORDS)
            elif act == 2:
                words[at:at] = [chance.choice(self.options[words[0]]), chance.choice(WORDS)]
            elif act == 3:
                words[at:at] = chance.choice([line for line in self.lines if line[0] == words[0]])[1:]
            elif act == 4 and at < len(words):
                words[at] += chance.choice(WORDS)
            elif at < len(words):
                words[at] = _cut(words[at], chance)
        words = [word.replace("\0", "") for word in words]  # no word that a shell gives has one
        if words[0] == "plan":
            words.append("--write-question")  # a plan is searched for before it needs a store
        return tuple(words), words[0] in AT_HOME


def _options(name: str) -> Iterator[str]:
    """Yield the options of a command, and those of its parts."""
    root: Any = get_command(app)
    command = root.get_command(None, name)
    for one in (command, *getattr(command, "commands", {}).values()):
        yield from (word for parameter in one.params for word in parameter.opts if word.startswith("-"))


def _cut(word: str, chance: random.Random) -> str:
    at, end = sorted(chance.randrange(len(word) + 1) for _ in range(2))
    return word[:at] + word[end:]
