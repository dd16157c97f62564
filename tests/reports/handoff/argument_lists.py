"""The arguments of programs of a stated version, each list with its source, as parsers that know no other."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NoReturn

FOLDER = Path(__file__).parent / "arguments"


class _Strict(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise AssertionError(message)


def listed(name: str) -> dict[str, Any]:
    """Return the file of a program: version, source, and of each argument flag, boolean, value or its choices."""
    return dict(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))


def parser(name: str) -> argparse.ArgumentParser:
    """Return a parser that takes the program's arguments, and a word before them where one stands there."""
    made = _Strict(prog=name, allow_abbrev=False)
    made.add_argument("first", nargs="*")
    for argument, kind in listed(name)["arguments"].items():
        more: dict[str, Any] = {"dest": argument}
        if kind == "flag":
            more["action"] = "store_true"
        elif kind == "boolean":
            more["action"] = argparse.BooleanOptionalAction
        elif argument in ("--goodput", "--cuda-graph-bs"):
            more["nargs"] = "+"
        elif isinstance(kind, list):
            more["choices"] = kind
        made.add_argument(argument, **more)
    return made
