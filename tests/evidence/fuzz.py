"""Files and words that somebody made up, given to everything that reads: `python -m tests.evidence.fuzz`.

`--minutes 10 --seed 1 [--of readers|bundle|words]` gives nearly valid texts, by grammar and by hypothesis in turns, to
every reader of `fuzz_documents`, to the bundle importer, and nearly valid words to the command line. What is wrong is
an error that is none of ours (exit 1), an answer after more than 2 s, and memory above 500 MB. Each kind of wrong is
told once, with what brought it about, which `--keep FOLDER` writes down.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import os
import random
import shlex
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from fleettui.errors import FleettuiError
from store import Store
from tests.evidence.fuzz_documents import Document, documents
from tests.evidence.fuzz_mutations import mutated, texts
from tests.evidence.fuzz_words import Words
from tests.store import samples

SLOWEST, HANGS = 2.0, 30
"""Seconds after which an answer is late, and after which it is given up."""
MOST_MEMORY = 500_000
"""Kilobytes."""
PEAK = Path("/proc/self/clear_refs")
"""Where Linux is told to count a process's most memory anew, by 5."""
AT_ONCE = 100
"""Texts of one kind before the next kind's turn."""
ONCE = settings(
    max_examples=AT_ONCE,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[*HealthCheck],
)
"""How hypothesis makes as many."""


class Hangs(BaseException):
    """There was no answer; not one of Exception, so that nothing takes it for an error of its own."""


@dataclass
class Found:
    """What was tried and what was wrong, by its kind."""

    tried: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    slowest: float = 0.0
    memory: int = 0

    def tell(self, name: str, what: str, data: bytes) -> None:
        """Note a kind of wrong, once."""
        if f"{name}: {what}" not in self.wrong:
            self.wrong[f"{name}: {what}"] = (name, data)
            sys.stdout.write(f"{name}: {what}\n    {data[:300]!r}\n")
            sys.stdout.flush()


def tried(found: Found, name: str, act: Callable[[], object], data: bytes) -> None:
    """Do something with a made-up text, and note what is wrong."""
    found.tried[name] += 1
    PEAK.write_text("5")  # forgets that of what made the text
    began, cpu = time.monotonic(), time.process_time()
    signal.alarm(HANGS)
    try:
        act()
    except FleettuiError:
        pass
    except Hangs:
        found.tell(name, f"no answer in {HANGS} s", data)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is a bug
        last = traceback.extract_tb(error.__traceback__)[-1]
        found.tell(name, f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}: {str(error)[:80]}", data)
    finally:
        signal.alarm(0)
    took = min(time.monotonic() - began, time.process_time() - cpu)  # others work on this machine, too
    found.slowest = max(found.slowest, took)
    if took > SLOWEST:
        found.tell(name, f"answered after {SLOWEST:g} s", data)
    held = peak_memory()
    found.memory = max(found.memory, held)
    if held > MOST_MEMORY:
        found.tell(name, "memory above 500 MB", data)


def peak_memory() -> int:
    """Return the most memory since PEAK was written to, in kilobytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def files(found: Found, names: list[str], folder: Path, until: float, chance: random.Random) -> None:
    """Give made-up files to readers until the time is over."""
    known, turn = documents(), 0
    while time.monotonic() < until:
        name = names[turn % len(names)]
        turn += 1
        document = known[name]
        give = _giver(found, name, document, folder / f"{name.replace(' ', '-')}{document.suffix}")
        if chance.random() < 0.5:
            for _ in range(AT_ONCE):
                give(mutated(document.text, chance))
        else:
            seeded(chance.getrandbits(32))(ONCE(given(texts(document.text))(give)))()


def _giver(found: Found, name: str, document: Document, path: Path) -> Callable[[bytes], None]:
    """Return what has a text read from a file."""

    def give(data: bytes) -> None:
        path.write_bytes(data)
        tried(found, name, lambda: document.read(path), data)

    return give


def words(found: Found, folder: Path, until: float, chance: random.Random) -> None:
    """Give made-up words to the command line until the time is over, with a store and with none that opens."""
    from fleettui.cli import main

    store, nowhere = folder / "data" / "fleettui.db", folder / "nowhere"
    nowhere.mkdir()
    with Store.open(store) as opened:
        samples.prove(opened)
        opened.add_study(samples.study())
    grammar = Words.read()
    os.chdir(folder)
    while time.monotonic() < until:
        line, kept = grammar.line(chance)
        os.environ["FLEETTUI_DB"] = str(store if kept else nowhere)

        def run(line: tuple[str, ...] = line) -> None:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                code = main(line)
            assert code in (0, 2, 3, 4), f"exit {code}"

        tried(found, f"fleettui {line[0] if line else ''}", run, shlex.join(line).encode("utf-8", "surrogatepass"))


def main(arguments: list[str]) -> int:
    """Try for as long as is said, and print what was wrong; return 1 where something was."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--of", choices=("readers", "bundle", "words"), default="readers")
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args(arguments)
    found, chance = Found(), random.Random(asked.seed)

    def hang(*_: object) -> None:
        raise Hangs

    signal.signal(signal.SIGALRM, hang)
    until = time.monotonic() + 60 * asked.minutes
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        os.environ |= {"FLEETTUI_DB": str(folder / "data" / "own.db"), "FLEETTUI_CONFIG": str(folder / "config.toml")}
        if asked.of == "words":
            words(found, folder, until, chance)
        else:
            readers = [name for name in documents() if (name == "bundle") == (asked.of == "bundle")]
            files(found, readers, folder, until, chance)
        os.chdir("/")
    sys.stdout.write(
        f"{sum(found.tried.values())} in {asked.minutes:g} minutes, seed {asked.seed}: {dict(found.tried)}\n"
        f"slowest {found.slowest:.2f} s, {found.memory / 1e3:.0f} MB, {len(found.wrong)} kinds of wrong\n"
    )
    if asked.keep:
        asked.keep.mkdir(parents=True, exist_ok=True)
        for what, (name, data) in found.wrong.items():
            (asked.keep / f"{name.replace(' ', '-')}-{hashlib.sha256(what.encode()).hexdigest()[:8]}").write_bytes(data)
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
