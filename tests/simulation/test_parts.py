"""Parts of compiled functions: one for all widths of a number, and no machine code but that of who calls them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fleettui.simulation.compiled import CACHE_VARIABLE, compiled, folder, inlined, part


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep what is compiled here in a place of its own."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    folder.cache_clear()
    yield
    folder.cache_clear()


@pytest.mark.parametrize("kind", [part, inlined, compiled])
def test_numbers_of_all_widths_and_those_written_down_are_of_one_kind(kind: Any) -> None:
    def doubled(keys: Any, at: int, rises: bool) -> int:
        return int(2 * keys[at]) if rises else int(keys[at])

    twice = kind(doubled)

    @compiled
    def whole(keys: Any, short: Any, at: int) -> int:
        written = int(twice(keys, 1, at > 0) + twice(keys, 0, True))
        return written + int(twice(keys, short[0], True) + twice(keys, at, rises=False))

    keys = np.array([2**40, 5, 7])
    assert whole(keys, np.array([2], np.int32), 1) == 14 + 10 + 5 + 2**41
    [signature] = set(seen(twice))
    assert [str(one) for one in signature[1:]] == ["int64", "bool"]


def seen(function: Any) -> list[Any]:
    """Return the signatures with which compiled functions linked one."""
    linked = function.get_overload.__self__ if "get_overload" in vars(function) else function
    return list(linked.signatures)


def test_only_what_python_calls_becomes_machine_code() -> None:
    @part
    def inner(x: float) -> float:
        return x + 0.5

    @compiled
    def outer(x: float) -> float:
        return 2.0 * inner(x)

    assert outer(1.25) == 3.5
    made = [has_code(one) for one in (inner, outer)]
    assert made == [False, True]
    assert [path.name.split("-")[0] for path in folder().rglob("*.nbc")] == [
        "test_parts.test_only_what_python_calls_becomes_machine_code.locals.outer"
    ]


def has_code(function: Any) -> bool:
    """Return whether this process has a function in machine code."""
    [kept] = function.overloads.values()
    return bool(kept.library.codegen._engine.is_symbol_defined(kept.fndesc.llvm_func_name))


def test_functions_that_python_calls_are_parts_for_others() -> None:
    @compiled
    def square(x: int) -> int:
        return x * x

    @compiled
    def outer(x: int) -> int:
        return square(x) + square(2)

    assert outer(3) == 13
    assert not square.signatures  # type: ignore[attr-defined]
    assert len(seen(square)) == 1
    assert square(4) == 16


def test_an_error_within_a_part_reaches_python() -> None:
    @part
    def check(x: int) -> int:
        if x <= 0:
            raise ValueError("not above zero")
        return x

    @compiled
    def outer(x: int) -> int:
        return 1 + check(x)

    assert outer(2) == 3
    with pytest.raises(ValueError, match="not above zero"):
        outer(0)
