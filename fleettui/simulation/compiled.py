"""The one place that knows numba: compiled functions, and the folder that keeps them from one run to the next.

numba does not see an edit in a function that another one calls, so the folder's name carries a digest of every source
that is compiled. It holds pickles, which run when they are read: nobody else may write there.
"""

from __future__ import annotations

import gc
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import platformdirs
from numba.core.runtime.nrt import rtsys

from fleettui.errors import InputError
from fleettui.simulation.parts import also_linked, linked, whole

P = ParamSpec("P")
R = TypeVar("R")

CACHE_VARIABLE = "FLEETTUI_CACHE"
PACKAGE = Path(__file__).resolve().parents[1]
OLD = 30 * 86_400.0
"""Seconds after which the code of another version is thought to be of no more use."""
ALONE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of functions that neither Python nor C calls."""
PLAIN: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}
"""Without numba's own memory: to count references to arrays took more than half of a simulation's time. And without a
look at each divisor, of which none is 0: that took a twelfth."""
ROOMS = ("routing", "scheduling", "simulation")
"""Rooms with functions that are compiled."""


class _CompilerLock:
    """What a thread of this process is compiling, `held`; its other threads wait for `threads`."""

    def __init__(self) -> None:
        self.threads = threading.RLock()
        self.held: set[str] = set()


COMPILER = _CompilerLock()


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function` in machine code: made at its first call, kept in `folder()`, run without Python's lock.

    It makes no array, and counts no references to those that it is given: who calls it holds them meanwhile.
    """
    # Set each time: numba goes back to its own environment whenever that has changed.
    vars(numba.config)["CACHE_DIR"] = str(folder())
    found = _one_process_at_a_time(whole(function, cache=True, nogil=True, no_cfunc_wrapper=True, **PLAIN))
    also_linked(found, part(function))
    return cast(Callable[P, R], found)


def of_types(function: Callable[P, R], *given: Any) -> Callable[P, R]:
    """Return what a compiled `function` is for arguments of the types of `given`, made if need be.

    For who calls it often with these types alone: to find out those of a run's state takes longer than the call, and
    here nobody looks at them again.
    """
    if not hasattr(function, "overloads"):  # NUMBA_DISABLE_JIT left it as it is
        return function
    return cast(Callable[P, R], cast(Any, function).compile(tuple(cast(Any, numba).typeof(one) for one in given)))


def part(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function` as a part of compiled functions that call it, with which it is kept: Python cannot call it.

    It would end the process. The part stands in place of every call of it: what takes many arrays costs more to call
    than it does.
    """
    return cast(Callable[P, R], linked(function, nogil=True, forceinline=True, **ALONE, **PLAIN))


def called(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function` as a part that stands once in the code and is called.

    For what seldom happens, or is large: to compile a copy of it for every call would take longer than the calls do.
    """
    return cast(Callable[P, R], linked(function, nogil=True, forceinline=False, **ALONE, **PLAIN))


def by_code(rules: Sequence[Callable[..., R]]) -> Callable[..., R]:
    """Return a function for compiled ones, of (code, *arguments), that calls `rules[code]` with the arguments.

    It becomes part of the function that calls it, and is kept with that: a compiled function as an argument would
    differ from process to process, and nothing would be kept. It is written out as one function, with a rule that
    several codes have in it once: of one function per code, each would be compiled by itself.
    """
    parts = {rule: part(rule) for rule in dict.fromkeys(rules)}
    named = {f"rule_{code}": parts[rule] for code, rule in enumerate(rules)}
    *firsts, last = named
    lines = [f"    if code == {code}:\n        return {name}(*given)\n" for code, name in enumerate(firsts)]
    exec("".join(["def chosen(code, *given):\n", *lines, f"    return {last}(*given)\n"]), named)
    return part(named["chosen"])


@cache
def folder() -> Path:
    """Return the folder of compiled functions, made if need be.

    It stands in the folder FLEETTUI_CACHE, else in the user's for caches, else, where that cannot be written, in a
    temporary one of the user's own. Raises InputError when FLEETTUI_CACHE names a folder that cannot be written.
    """
    name = f"kernels-{digest()}"
    if chosen := os.environ.get(CACHE_VARIABLE):
        with suppress(RuntimeError):  # the home of nobody
            place = Path(chosen).expanduser().absolute() / name
            if _writable(place):
                return place
        raise InputError("this folder cannot be written", where=CACHE_VARIABLE, value=chosen, remedy="name another")
    place = platformdirs.user_cache_path("fleettui") / name
    if not _writable(place):
        place = _temporary() / name
        place.mkdir(parents=True, exist_ok=True)
    return place


def _made_folder() -> Path:
    """Return `folder()`, made anew where somebody removed it while the program runs."""
    if not folder().is_dir():
        folder.cache_clear()
    return folder()


@cache
def digest(package: Path = PACKAGE) -> str:
    """Return 12 hex digits that change with any source of `package` that is compiled and with what compiles it."""
    found = hashlib.sha256(f"{version('numba')} {version('llvmlite')} {platform.python_version()}".encode())
    for room in ROOMS:
        for file in sorted((package / room).rglob("*.py")):
            source = file.read_bytes()
            found.update(f"\n{file.relative_to(package).as_posix()} {len(source)}\n".encode() + source)
    return found.hexdigest()[:12]


def warm(*functions: Callable[..., Any]) -> bool:
    """Return whether each of these compiled functions was kept by an earlier run; without any, whether one was."""
    names = [f"{one.__module__.rpartition('.')[2]}.{one.__qualname__}-*.nbc" for one in functions] or ["*.nbc"]
    return all(any(folder().rglob(name)) for name in names)


def loaded(function: Callable[..., Any]) -> bool:
    """Return whether this process has a compiled function in machine code, as after its first call."""
    return bool(vars(function).get("overloads"))


@contextmanager
def compiling_once(what: str = "") -> Iterator[None]:
    """Wait until no other process is within this block for the same, so that the second finds what the first compiled.

    It may stand within itself.
    """
    if sys.platform == "win32":  # no such lock: both may compile, and either's result is right
        yield
        return
    import fcntl

    with COMPILER.threads:
        if what in COMPILER.held:
            yield
            return
        with (_made_folder() / f"lock{what}").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # released with the file, also when the process dies
            COMPILER.held.add(what)
            try:
                yield
            finally:
                COMPILER.held.remove(what)
                fcntl.flock(lock, fcntl.LOCK_UN)  # a child that was forked meanwhile has the file, too


@contextmanager
def uncollected() -> Iterator[None]:
    """Let no garbage be collected within this block: a compiler keeps what it makes, and to look through that again and
    again takes a tenth of its time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _one_process_at_a_time(function: Any) -> Any:
    """Let a compiled function and all that it calls be compiled for the same types by one process at a time; return it.

    What is compiled is kept by one at a time whatever it is: two that did so at once would forget one of the two.
    """
    if not hasattr(function, "overloads"):  # NUMBA_DISABLE_JIT left it as it is
        return function
    kept = function._cache
    compile_now, keep = function.compile, kept.save_overload

    def compile_alone(signature: Any) -> Any:
        named = f"{function.__module__} {function.__qualname__} {signature}"
        with compiling_once(f"-{hashlib.sha256(named.encode()).hexdigest()[:12]}"), uncollected():
            return compile_now(signature)

    def keep_alone(signature: Any, compiled: Any) -> None:
        with compiling_once("-to-keep"):
            keep(signature, compiled)

    def load(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)  # all that kept code needs of numba, whose declarations take longer than to load it
        with kept._guard_against_spurious_io_errors():
            return kept._load_overload(signature, context)

    function.compile, kept.save_overload, kept.load_overload = compile_alone, keep_alone, load
    return function


def mark_used() -> None:
    """Give the folder the time of now, so that no other version takes it for one that nobody uses."""
    with suppress(OSError):  # a folder that has become read-only is used all the same
        os.utime(folder())


def forget_old() -> None:
    """Remove what other versions compiled, once it has not been used for OLD seconds."""
    for place in folder().parent.glob("kernels-*"):
        if place != folder() and time.time() - place.stat().st_mtime > OLD:
            shutil.rmtree(place, ignore_errors=True)


def _writable(place: Path) -> bool:
    """Return whether files can be made in `place`, which is made if need be."""
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False


def _temporary() -> Path:
    """Return a temporary folder that only this user can write, the same one each time unless somebody else made it."""
    if sys.platform == "win32":  # the folder for temporary files is the user's own
        return Path(tempfile.gettempdir()) / "fleettui"
    place = Path(tempfile.gettempdir()) / f"fleettui-{os.getuid()}"
    with suppress(FileExistsError):
        place.mkdir(mode=0o700)
    found = place.lstat()
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    return place if own else Path(tempfile.mkdtemp(prefix="fleettui-"))
