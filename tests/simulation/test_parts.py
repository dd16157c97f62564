"""Parts of compiled functions: one for all widths of a number, and no machine code but that of who calls them.

Compiled functions take places of arrays to be 0 or more: by numba's own look at them no run asks for another.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from fleettui.simulation.compiled import CACHE_VARIABLE, called, compiled, folder, part

HERE = Path(__file__).parent
TREE = HERE.parents[1]
TWINS = ("test_twin.py", "test_twin_bounds.py", "test_twin_dispatch.py", "test_twin_elastic.py")
BELOW = """
import numpy as np
from fleettui.simulation.compiled import compiled

@compiled
def at(values, place):
    return values[place]

print(at(np.arange(3.0), 2))
at(np.arange(3.0), -1)
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep what is compiled here in a place of its own."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    folder.cache_clear()
    yield
    folder.cache_clear()


@pytest.mark.parametrize("kind", [part, called, compiled])
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


def test_a_part_stands_in_place_of_its_calls_wherever_it_is_called_from_and_what_is_called_does_not() -> None:
    """numba would let a function be as the first one that calls it is."""

    @part
    def inner(x: float) -> float:
        return x + 0.5

    @called
    def seldom(x: float) -> float:
        return inner(x) * 3.0

    @part
    def often(x: float) -> float:
        return seldom(x) + inner(x)

    @compiled
    def outer(x: float) -> float:
        return often(x)

    assert outer(1.5) == 8.0
    assert [stands_in_place(one) for one in (inner, seldom, often)] == [True, False, True]


def stands_in_place(function: Any) -> bool:
    """Return whether a part takes the place of every call of it."""
    [kept] = function.overloads.values()
    return b"alwaysinline" in b" ".join(kept.library.get_function(kept.fndesc.mangled_name).attributes)


class Rows(NamedTuple):
    """Arrays, of which some may be missing."""

    keys: Any
    pair: tuple[Any, Any]
    beside: Any = None


def test_a_part_takes_each_argument_as_one_value_however_many_arrays_it_holds() -> None:
    @part
    def summed(rows: Any, beside: Any, twice: bool, *given: int) -> int:
        own = rows.keys[0] + rows.pair[1][0] if beside is None else beside[0]
        return int(2 * own + given[1] if twice else own + given[0])

    @called
    def handed_on(rows: Any, twice: bool, x: int, y: int) -> int:
        return int(summed(rows, rows.beside, twice, x, y))

    @compiled
    def outer(rows: Any, x: int, y: int) -> int:
        return int(handed_on(rows, x > y, x, y) + 100 * summed(rows, rows.beside, x < y, 3, y))

    one, two = np.array([7]), np.array([20])
    assert outer(Rows(one, (one, two)), 5, 4) == (2 * 27 + 4) + 100 * (27 + 3)
    assert outer(Rows(one, (one, two), two), 4, 5) == (20 + 4) + 100 * (2 * 20 + 5)
    kept = [*handed_on.overloads.values()]  # type: ignore[attr-defined]
    taken = [len([*one.library.get_function(one.fndesc.mangled_name).arguments]) for one in kept]
    assert taken == [2 + 4] * 2  # the first two are where its result and its error go


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


def checked(cache: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run Python with code compiled anew that looks at every place before it is read or written."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=TREE,
        env={**os.environ, "PYTHONPATH": str(TREE), "NUMBA_BOUNDSCHECK": "1", CACHE_VARIABLE: str(cache)},
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )


@pytest.mark.thorough
def test_a_place_below_0_is_none(tmp_path: Path) -> None:
    file = tmp_path / "below.py"
    file.write_text(BELOW)
    found = checked(tmp_path, str(file))
    assert found.stdout == "2.0\n"
    assert found.stderr.rstrip().endswith("IndexError: index is out of bounds")


@pytest.mark.evidence
def test_random_fleets_never_ask_for_one(tmp_path: Path) -> None:
    """About a quarter of an hour; as long again for the whole of `NUMBA_BOUNDSCHECK=1 pytest tests/simulation`."""
    options = ("-m", "pytest", "-n", "2", "-q", "-p", "no:cacheprovider", "-m", "evidence or not evidence")
    found = checked(tmp_path, *options, *(str(HERE / name) for name in TWINS))
    assert found.returncode == 0, found.stdout
