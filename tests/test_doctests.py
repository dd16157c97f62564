"""The examples in docstrings, module by module."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ["fleettui", "store", "tests"]


def modules_with_examples() -> list[str]:
    """Return the names of the modules whose docstrings show examples."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    shown = [path for path in paths if re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in shown]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_hold(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = doctest.testmod(import_module(name))
    assert not found.failed, capsys.readouterr().out
    assert found.attempted
