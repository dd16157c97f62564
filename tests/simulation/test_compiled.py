"""Compiled functions: kept where they may be, under a name that no stale one has, compiled by one process at a time."""

import ast
import fcntl
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs
import pytest
from numba.core.errors import NumbaError
from numba.core.event import Listener, install_listener

from fleettui.errors import InputError
from fleettui.simulation import compiled as module
from fleettui.simulation.compiled import (
    CACHE_VARIABLE,
    by_code,
    compiled,
    compiling_once,
    digest,
    folder,
    forget_old,
    mark_used,
    of_types,
    warm,
)

MARKS, MOST_LINES = ("part", "compiled", "called"), 60
"""What stands above compiled functions, and the lines of the longest of them."""

# numba comes first, as another library might bring it, and its environment changes between two functions.
DOUBLING = """
import json, os, sys
import numba
from fleettui.simulation.compiled import compiled, folder, warm

before = warm()

@compiled
def double(x: int) -> int:
    return 2 * x

kept = warm(double)
os.environ["NUMBA_CACHE_DIR"] = sys.argv[1]
result = double(21)

@compiled
def triple(x: int) -> int:
    return 3 * double(x) // 2

result += triple(0)
hits = [sum(one.stats.cache_hits.values()) for one in (double, triple)]
print(json.dumps({"before": before, "kept": kept, "hits": hits, "after": warm(double, triple), "result": result,
                  "folder": str(folder()), "nogil": double.targetoptions["nogil"],
                  "declared": "numba.np.arraymath" in sys.modules}))
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Let every test find the folder anew, in a place of its own."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "chosen"))
    folder.cache_clear()
    yield
    folder.cache_clear()


def doubling(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "doubling.py").write_text(DOUBLING)
    found = subprocess.run(
        (sys.executable, "-c", "import doubling", str(tmp_path / "elsewhere")),
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path))},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    result: dict[str, Any] = json.loads(found.stdout)
    return result


@pytest.mark.thorough
def test_what_one_process_compiled_the_next_one_finds(tmp_path: Path) -> None:
    first = doubling(tmp_path)
    home = tmp_path / "chosen" / f"kernels-{digest()}"
    assert first == {
        "before": False,
        "kept": False,
        "hits": [0, 0],
        "after": True,
        "result": 42,
        "folder": str(home),
        "nogil": True,
        "declared": True,
    }
    assert len(list(home.rglob("*.nbc"))) == 2
    assert not (tmp_path / "elsewhere").exists()
    second = doubling(tmp_path)
    assert second == first | {"before": True, "kept": True, "hits": [1, 1], "declared": False}


def test_what_counts_no_references_makes_no_array() -> None:
    @compiled
    def empty(count: int) -> int:
        return len(np.empty(count))

    with pytest.raises(NumbaError):
        empty(3)


def test_one_function_that_was_kept_does_not_speak_for_another() -> None:
    assert not warm()
    (folder() / "room").mkdir()
    (folder() / "room" / "test_compiled.one-7.py311.1.nbc").touch()

    def one() -> None: ...
    def two() -> None: ...

    one.__qualname__, two.__qualname__ = "one", "two"
    assert warm()
    assert warm(one)
    assert not warm(one, two)


def sources(home: Path) -> Path:
    """Return a package whose rooms hold one module each."""
    for room in ("simulation", "routing", "domain"):
        (home / room).mkdir(parents=True)
        (home / room / "rule.py").write_text("x = 1\n")
    return home


def test_the_digest_changes_with_every_source_that_is_compiled_and_no_other(tmp_path: Path) -> None:
    home = sources(tmp_path / "package")
    seen = [digest.__wrapped__(home)]
    assert len(seen[0]) == 12
    int(seen[0], 16)
    (home / "domain" / "rule.py").write_text("x = 2\n")
    (home / "routing" / "notes.txt").write_text("x = 2\n")
    assert digest.__wrapped__(home) == seen[0]
    for change in ("routing/rule.py", "simulation/rule.py", "routing/deep.py", "simulation/new/deep.py"):
        (home / change).parent.mkdir(exist_ok=True)
        (home / change).write_text("x = 3\n")
        seen.append(digest.__wrapped__(home))
    (home / "routing" / "deep.py").rename(home / "routing" / "deeper.py")
    seen.append(digest.__wrapped__(home))
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("program", ["numba", "llvmlite", "python"])
def test_the_digest_changes_with_the_compiler(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest.__wrapped__()
    if program == "python":
        monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    else:
        known = metadata.version
        monkeypatch.setattr(module, "version", lambda name: "99" if name == program else known(name))
    assert digest.__wrapped__() != before


def test_a_chosen_folder_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    for place in (str(tmp_path / "file"), "~nobody-x/cache", "x" * 300):
        monkeypatch.setenv(CACHE_VARIABLE, place)
        with pytest.raises(InputError, match=r"FLEETTUI_CACHE: this folder cannot be written"):
            compiled(len)


def test_the_users_own_folder_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / "cache" / name)
    assert folder() == tmp_path / "cache" / "fleettui" / f"kernels-{digest()}"
    assert folder().stat().st_mode & 0o777 == 0o700


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for temporary files of a user whose own folder for caches cannot be made."""
    (tmp_path / "fleettui").touch()
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / name)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


def test_without_it_a_temporary_folder_of_ones_own_does(temporary: Path) -> None:
    own = temporary / f"fleettui-{os.getuid()}"
    for _ in range(2):
        assert folder() == own / f"kernels-{digest()}"
        assert folder().is_dir()
        assert own.stat().st_mode & 0o777 == 0o700
        folder.cache_clear()


def test_on_windows_the_folder_for_temporary_files_is_the_users_own(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert folder() == temporary / "fleettui" / f"kernels-{digest()}"


@pytest.mark.parametrize("kind", ["open to others", "a file", "a link"])
def test_a_temporary_folder_that_others_may_have_made_is_not_trusted(kind: str, temporary: Path) -> None:
    planted = temporary / f"fleettui-{os.getuid()}"
    if kind == "a file":
        planted.touch()
    elif kind == "a link":
        planted.symlink_to(temporary)
    else:
        planted.mkdir()
        planted.chmod(0o777)
    assert folder().is_dir()
    assert folder().parent.parent == temporary
    assert folder().parent != planted
    assert folder().parent.stat().st_mode & 0o777 == 0o700


def locked(what: str = "") -> bool:
    """Return whether somebody else holds the lock of what is compiled."""
    with (folder() / f"lock{what}").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_one_process_at_a_time_compiles() -> None:
    with compiling_once(), compiling_once():
        assert locked()
        assert not locked("-else"), "another function, or the same of other types, need not wait"
        with compiling_once("-else"):
            assert locked()
            assert locked("-else")
    assert not locked()
    with pytest.raises(ZeroDivisionError), compiling_once():
        _ = 1 / 0
    assert not locked()


def test_a_folder_that_is_removed_while_the_program_runs_is_made_anew() -> None:
    place = folder()
    shutil.rmtree(place)
    with compiling_once():
        assert locked()
    assert folder() == place
    assert place.stat().st_mode & 0o777 == 0o700


def test_without_such_locks_everybody_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with compiling_once():
        assert not (folder() / "lock").exists()


def test_what_other_versions_compiled_is_forgotten_after_a_while() -> None:
    old, recent, other = (folder().parent / name for name in ("kernels-old", "kernels-recent", "notes"))
    for place in (old, recent, other):
        place.mkdir()
        (place / "kept").touch()
    for place in (old, other, folder()):
        os.utime(place, (0.0, 0.0))
    forget_old()
    assert not old.exists()
    assert (recent / "kept").exists()
    assert (other / "kept").exists()
    assert folder().exists()


def test_what_is_used_every_day_is_not_old(monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(folder(), (0.0, 0.0))
    mark_used()
    used = folder()
    monkeypatch.setattr(module, "folder", lambda: used.parent / "kernels-of-another-version")
    forget_old()
    assert used.exists()


def test_a_folder_that_has_become_read_only_is_used_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(os, "utime", refuse)
    mark_used()


def test_a_rule_is_called_by_its_code() -> None:
    rules = [lambda x: x + 1, lambda x: 2 * x, lambda x: x * x, lambda x: -x]
    chosen, only = by_code(rules), by_code(rules[:1])

    def both(code: int, given: int) -> tuple[int, int]:
        return chosen(code, given), only(0, given)

    called: Any = numba.njit(nogil=True)(both)
    assert [called(code, 7) for code in range(4)] == [(8, 8), (14, 8), (49, 8), (-7, 8)]


def test_a_rule_of_several_codes_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def kept(function: Any) -> Any:
        made.append(function)
        return function

    rules: list[Any] = [len, sum, len, len]
    monkeypatch.setattr(module, "part", kept)
    chosen: Any = by_code(rules)
    assert [chosen(code, [4, 5]) for code in range(4)] == [2, 9, 2, 2]
    assert made == [len, sum, chosen], "and the choice, in one function however many codes there are"


def test_what_is_made_for_types_is_made_once_and_is_what_a_call_finds() -> None:
    def last(values: Any, place: int) -> float:
        return float(values[place])

    found = compiled(last)
    given = (np.array([1.0, 2.0, 5.0]), 2)
    direct = of_types(found, *given)
    assert direct(*given) == found(*given) == 5.0
    assert of_types(found, *given) is direct
    assert len(vars(found)["overloads"]) == 1


def test_without_compiled_code_a_function_is_itself() -> None:
    assert of_types(len, [1]) is len


def test_no_compiled_function_is_longer_than_a_page() -> None:
    long = [
        f"{path.name}: {one.name}"
        for path in sorted(module.PACKAGE.glob("simulation/*.py"))
        for one in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(one, ast.FunctionDef)
        and any(isinstance(mark, ast.Name) and mark.id in MARKS for mark in one.decorator_list)
        and (one.end_lineno or 0) - one.lineno + 1 > MOST_LINES
    ]
    assert long == []


class Looks(Listener):
    """Whether garbage is collected when a compilation begins."""

    def __init__(self) -> None:
        self.seen: list[bool] = []

    def on_start(self, _event: object) -> None:
        self.seen.append(gc.isenabled())

    def on_end(self, _event: object) -> None:
        """Nothing is looked at."""


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_collected_while_it_is_compiled_and_all_is_as_before_then(collects: bool) -> None:
    @compiled
    def half(x: float) -> float:
        return x / 2

    was, looks = gc.isenabled(), Looks()
    (gc.enable if collects else gc.disable)()
    try:
        with install_listener("numba:compile", looks):
            assert half(3.0) == 1.5
        assert looks.seen == [False]
        assert gc.isenabled() is collects
    finally:
        (gc.enable if was else gc.disable)()
