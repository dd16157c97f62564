"""Mutation: how many small faults in the rooms that compute their own tests notice.

`python -m tests.evidence.mutation --rooms queueing simulation --sample 200 --seed 1 --out FILE` makes 200 mutants, as
many in each room, and tries each in a copy of the tree against the tests of its room, those of its file first. It is
met when at least 85 % of each room's mutants are noticed, those aside that `equivalent.toml` explains: nothing changes
with them that a test could notice. A run that was stopped goes on where it was when FILE is the same; `--again` tries
those that survived once more. Needs the extra `mutation`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from fleettui.simulation.compiled import CACHE_VARIABLE, digest
from tests.evidence import common
from tests.evidence.mutants import Mutant, sample
from tests.test_doctests import modules_with_examples

ROOT = Path(__file__).parents[2]
COPIED = ("fleettui", "store", "cdfs", "tests", "pyproject.toml", "README.md", "CHANGELOG.md")
ROOMS = ("queueing", "simulation", "routing", "optimize")
ENOUGH = 0.85
WAIT = 20
"""A mutant that waits, instead of working, for so many times its limit is late too."""
KILLED, SURVIVED, LATE = "noticed", "survived", "too long"
PLAIN = (
    *("-p", "tests.evidence.plain", "tests/simulation/test_replica.py", "tests/simulation/test_heaps.py"),
    *("--deselect", "tests/simulation/test_heaps.py::test_replicas_wake_in_order_and_equal_ones_by_number"),
    "tests/simulation/test_fixed_service.py::test_the_queue_is_the_plain_one_bit_for_bit",
    "tests/simulation/test_kernel.py::test_requests_go_to_the_replica_with_the_fewest",
    *(f"tests/simulation/test_kernel.py::test_the_engine_is_its_twin[{seed}]" for seed in range(8)),
    "tests/simulation/test_bounds.py::test_all_who_wait_may_leave_with_one_step",
)
"""What a mutant of a compiled file meets first, as plain Python: that takes no compiler."""
COMPILING = ("tests/simulation/test_run.py::test_once_compiled_the_engine_is_known_to_be",)
WITH_THOROUGH = "not evidence or thorough"
LIMIT = 300
"""Seconds of a core that a mutant has: compiling a room's kernels anew and running its tests takes over half of it."""
PLAIN_PART = 3
"""PLAIN has the time that a mutant has divided by this."""

DECORATORS = ("@compiled", "@part", "@called")
"""What stands before functions that are compiled, by themselves or with those that call them."""

Key = tuple[str, str, str]


def room_of(file: str) -> str:
    """Return the room of a file."""
    return Path(file).parts[1]


def compiled(file: str) -> bool:
    """Return whether a file holds functions that are compiled, or rules of routers, which the kernel compiles."""
    return room_of(file) == "routing" or any(
        line in DECORATORS for line in (ROOT / file).read_text(encoding="utf-8").splitlines()
    )


def tests_of(file: str) -> list[str]:
    """Return the tests of a file, its docstrings' among them."""
    path = Path(file)
    mirror = Path("tests", *path.parts[1:-1], f"test_{path.name}")
    return [*([mirror.as_posix()] if (ROOT / mirror).exists() else []), *examples(".".join(path.with_suffix("").parts))]


def tests_of_room(room: str) -> list[str]:
    """Return the tests of a room, its docstrings' among them."""
    return [f"tests/{room}", *examples(f"fleettui.{room}")]


def examples(module: str) -> list[str]:
    """Return the tests of the docstrings of a module, and of those in it."""
    names = [name for name in modules_with_examples() if f"{name}.".startswith(f"{module}.")]
    return [f"tests/test_doctests.py::test_examples_hold[{name}]" for name in names]


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the tree in a folder of its own, with its own compiled kernels."""

    folder: Path
    limit: int

    @property
    def tree(self) -> Path:
        """Where the copied files are."""
        return self.folder / "tree"

    def make(self) -> None:
        """Copy the tree, and compile what takes long."""
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, self.tree / name)
        self.run(COMPILING, keeping=True)

    def hold(self, rooms: Sequence[str]) -> None:
        """Hold the tree as it stands to what its mutants meet. Raises AssertionError when that fails."""
        if {"simulation", "routing"} & set(rooms):
            assert self.run(PLAIN, plain=True) == SURVIVED, "tests fail in plain Python without a mutant"
        for room in rooms:
            found = self.run(tests_of_room(room), keeping=True)
            assert found == SURVIVED, f"{room}: tests fail without a mutant, or are too slow"

    def tried(self, mutant: Mutant, *, near: bool) -> str:
        """Return what becomes of a mutant, of one that only the tests of its file meet on request."""
        kernels, path = self._kernels(), self.tree / mutant.file
        before, original = path.stat(), path.read_bytes()
        path.write_text(mutant.source, encoding="utf-8")
        try:
            if compiled(mutant.file):
                if (found := self.run(PLAIN, plain=True)) != SURVIVED:
                    return found
            elif kernels.exists() and self._kernels() != kernels:
                shutil.copytree(kernels, self._kernels(), copy_function=os.link)
            found = self.run(tests_of(mutant.file))
            return found if near or found != SURVIVED else self.run(tests_of_room(room_of(mutant.file)))
        finally:
            if self._kernels() != kernels:
                shutil.rmtree(self._kernels(), ignore_errors=True)
            path.write_bytes(original)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def run(self, tests: Sequence[str], *, plain: bool = False, keeping: bool = False) -> str:
        """Return what pytest finds, KILLED for anything but success; keep bytecode on request.

        A mutant's is not kept: two of the same second and size would pass for the same file.
        """
        options = (
            "-n",
            "0",
            "-m",
            WITH_THOROUGH,
            "-x",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            "--timeout=0",
        )
        environment = {
            **os.environ,
            CACHE_VARIABLE: str(self.folder),
            "NUMBA_DISABLE_JIT": str(int(plain)),
            "PYTHONDONTWRITEBYTECODE": "" if keeping else "1",
        }
        limit = self.limit // PLAIN_PART if plain else self.limit
        command = (
            "sh",
            "-c",
            f'ulimit -t {limit}; exec "$@"',
            "sh",
            sys.executable,
            "-m",
            "pytest",
            *options,
            *tests,
        )
        process = subprocess.Popen(
            command, cwd=self.tree, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
        )
        try:
            code = process.wait(timeout=WAIT * limit)
        except subprocess.TimeoutExpired:
            return LATE
        else:
            return {0: SURVIVED, -signal.SIGXCPU: LATE}.get(code, KILLED)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(timeout=60)

    def _kernels(self) -> Path:
        """Return where the compiled functions of the tree as it is now are kept."""
        digest.cache_clear()
        return self.folder / f"kernels-{digest(self.tree / 'fleettui')}"


def tried(
    mutants: Sequence[Mutant], rooms: Sequence[str], *, jobs: int, limit: int, near: bool
) -> Iterator[tuple[Mutant, str]]:
    """Yield each mutant with what becomes of it, in the order in which that is known."""
    copies = SimpleQueue[Copy]()

    def make(copy: Copy, rooms: Sequence[str]) -> None:
        try:
            copy.make()
            if rooms:
                copy.hold(rooms)
        finally:  # whoever waits for it is told by the error
            copies.put(copy)

    def one(mutant: Mutant) -> tuple[Mutant, str]:
        copy = copies.get()
        try:
            return mutant, copy.tried(mutant, near=near)
        finally:
            copies.put(copy)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        made = [Copy(Path(folder, str(number)), limit) for number in range(jobs)]
        for copy in made:
            copy.tree.mkdir(parents=True)
        try:
            held = pool.submit(make, made[0], () if near else rooms)
            others = [pool.submit(make, copy, ()) for copy in made[1:]]
            for future in as_completed([pool.submit(one, mutant) for mutant in mutants]):
                if held.done():
                    held.result()
                yield future.result()
            for finished in (held, *others):
                finished.result()
        finally:
            pool.shutdown(cancel_futures=True)


def explained() -> Mapping[Key, str]:
    """Return why the mutants that change nothing cannot be noticed. Raises AssertionError for one of no line."""
    listed = tomllib.loads(Path(__file__).with_name("equivalent.toml").read_text(encoding="utf-8"))["mutant"]
    for one in listed:
        lines = " ".join(line.strip() for line in (ROOT / one["file"]).read_text(encoding="utf-8").splitlines())
        assert one["before"] in lines, f"equivalent.toml explains a line that {one['file']} no longer has: {one}"
    return {(one["file"], one["before"], one["after"]): str(one["why"]) for one in listed}


def main(words: list[str] | None = None) -> int:
    """Print the table and the survivors; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.mutation", description=__doc__)
    parser.add_argument("--rooms", choices=ROOMS, nargs="+", default=list(ROOMS))
    parser.add_argument("--sample", type=common.count, default=200, help="mutants in all, as many in each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", help="part of the files' names, to look at some only")
    parser.add_argument("--again", action="store_true", help="try again what survived")
    parser.add_argument("--near", action="store_true", help="only the tests of the mutant's file, which may miss some")
    parser.add_argument("--limit", type=common.count, default=LIMIT, help="seconds of a core for a mutant's tests")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    parser.add_argument("--out", type=Path, help="file of results, from which a stopped run goes on")
    asked = parser.parse_args(words)
    ledger, reasons, each = common.Ledger(asked.out), explained(), asked.sample // len(asked.rooms)
    mutants = {room: sample(ROOT, f"fleettui/{room}", each, asked.seed, part=asked.file or "") for room in asked.rooms}
    todo = [one for some in mutants.values() for one in some if _open(one, ledger, again=asked.again)]
    os.nice(10)
    if todo:
        for mutant, found in tried(todo, asked.rooms, jobs=asked.jobs, limit=asked.limit, near=asked.near):
            ledger.add(mutant.key, found)
            common.say(f"{found:>8}  {mutant.file}:{mutant.line}")
    _tell(mutants, ledger, reasons)
    return common.verdict([_met(room, some, ledger, reasons) for room, some in mutants.items()])


def _open(mutant: Mutant, ledger: common.Ledger, *, again: bool) -> bool:
    return mutant.key not in ledger or (again and ledger[mutant.key] == SURVIVED)


def _tell(mutants: Mapping[str, Sequence[Mutant]], ledger: common.Ledger, reasons: Mapping[Key, str]) -> None:
    """Write the table, and each survivor with its explanation."""
    rows = []
    for room, some in mutants.items():
        found = [ledger[one.key] for one in some]
        left = [one.key for one in some if ledger[one.key] == SURVIVED]
        counts = (
            len(some),
            *(found.count(kind) for kind in (KILLED, LATE, SURVIVED)),
            sum(key in reasons for key in left),
        )
        rows.append(
            (room, *map(str, counts), f"{1.0 - len(left) / len(some):.1%}", f"{_score(some, ledger, reasons):.1%}")
        )
    titles = ("room", "mutants", KILLED, LATE, SURVIVED, "explained", "score", "without these")
    common.show("Mutants that the tests of their room notice", titles, rows)
    for some in mutants.values():
        for one in some:
            if ledger[one.key] == SURVIVED:
                common.say(f"{one}\n      {reasons.get(one.key, 'not explained')}")


def _score(mutants: Sequence[Mutant], ledger: common.Ledger, reasons: Mapping[Key, str]) -> float:
    """Return the share that is noticed of the mutants that change something."""
    changing = [one for one in mutants if ledger[one.key] != SURVIVED or one.key not in reasons]
    return len([one for one in changing if ledger[one.key] != SURVIVED]) / len(changing)


def _met(room: str, mutants: Sequence[Mutant], ledger: common.Ledger, reasons: Mapping[Key, str]) -> tuple[str, bool]:
    score = _score(mutants, ledger, reasons)
    return f"{room}: {score:.1%} of {len(mutants)} mutants noticed, at least {ENOUGH:.0%}", score >= ENOUGH


if __name__ == "__main__":
    sys.exit(main())
