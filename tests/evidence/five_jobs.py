"""Five jobs of a person who is new here, by real keys on a terminal of 80x24: how many keys, and how long.

`python -m tests.evidence.five_jobs` starts the program in tmux, each job over a store of its own, types what a person
would type, and holds what the screen says to what the person wants to know. A job's time is .15 s for each key and the
processor's seconds of the program and its workers, which no other work on the machine makes longer; reading is not
counted. One worker, so that nothing is done side by side; compiled code is there already. `--jobs growth compare`
does some of them.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.file_place import FILE_NAME
from tests.evidence.common import show, verdict
from tests.tui import seeded
from tests.tui.terminal.tmux import Tmux, places
from tests.workloads.scrapes import pair

SIZE = (80, 24)
A_KEY = 0.15
"""Seconds that a person takes for a key."""
PAUSE = 0.01
"""Seconds between two keys that are typed here."""
ALONE = 0.5
"""Seconds after which a terminal's escape is no longer the beginning of another key."""
PATIENCE = 1800.0
"""Seconds within which work must end on a machine that does much else."""
HEADLINES = re.compile(r"^(?:PASS|FAIL|NOT PROVEN)(?! YET)\b.*\$", re.MULTILINE)
FIVE = "llama-3.1-8b + qwen3-32b + llama-3.1-70b fp8 + qwen3-30b-a3b + gemma-3-27b"


@dataclass(slots=True)
class Hand:
    """A person at the keyboard: what is typed into a shell and into the program, key by key, and how many keys."""

    shell: Tmux
    keys: int = 0

    def press(self, *names: str) -> None:
        """Press keys by tmux's names."""
        for name in names:
            self.shell.press(name)
            self.keys += 1
            time.sleep(PAUSE)

    def type(self, text: str) -> None:
        """Type letters, one by one."""
        for letter in text:
            self.shell.type(letter)
            time.sleep(PAUSE)
        self.keys += len(text)

    def line(self, text: str = "") -> None:
        """Type a line, and enter; an empty one takes what stands there."""
        self.type(text)
        self.press("Enter")

    def command(self, words: str) -> None:
        """Find a command by its words, and do it."""
        self.press(":")
        self.line(words)

    def sees(self, what: str | Callable[[str], object], patience: float = PATIENCE) -> str:
        """Wait for words on the screen, and return it."""
        return self.shell.until(what, patience)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a person wants to know: the keys of it, and within how many of them and which time it must be done."""

    name: str
    wants: str
    do: Callable[[Hand, Path], str]
    minutes: float
    most: int | None = None
    begins: Callable[[Path], object] = lambda _: None
    opens: str = "fleettui"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A job that was done: keys, seconds of the processor and by the clock, and the sentence that answers it."""

    job: Job
    keys: int
    computed: float
    clock: float
    answer: str

    @property
    def seconds(self) -> float:
        """Seconds of a person at this program on a machine that does nothing else."""
        return self.keys * A_KEY + self.computed

    @property
    def met(self) -> bool:
        """Whether it was done within its time and its keys."""
        return self.seconds <= 60 * self.job.minutes and (self.job.most is None or self.keys <= self.job.most)


def at_rest(screen: str) -> bool:
    """Return whether a screen has a verdict, and no work goes on."""
    head = screen.split("\n", maxsplit=1)[0]
    return bool(HEADLINES.search(screen)) and not re.search(r"\d+ jobs?", head)


def headline(screen: str) -> str:
    """Return the line of a screen that says the verdict."""
    return next(line.strip() for line in screen.split("\n") if HEADLINES.search(line))


def line_with(screen: str, words: str) -> str:
    """Return the first line of a screen with some words; raises AssertionError where none has them."""
    found = next((line.strip(" |") for line in screen.split("\n") if words in line), None)
    assert found is not None, f"{words!r} is not on the screen:\n{screen}"
    return found


def users(hand: Hand, folder: Path) -> str:
    """From a number of users to the sentence with its caveat, copied."""
    hand.press("a")
    hand.sees("A new question")
    hand.line()
    hand.line("20000 users x 6/h x 2.5")
    hand.line()
    hand.line("h100")
    hand.line()
    hand.sees("r plans it")
    hand.press("r")
    screen = hand.sees(at_rest)
    hand.press("y")
    hand.sees("copied to")
    copied = (folder / "state" / "fleettui" / "last-copy.txt").read_text()
    assert headline(screen).startswith("PASS"), screen
    assert "20,000 users" in copied
    assert "sure" in copied, "the sentence has no caveat"
    return f"{headline(screen)}; {line_with(copied, 'sure ')}"


def metrics(hand: Hand, folder: Path) -> str:
    """From two scrapes of a server to whether its fleet has GPUs to spare or too few."""
    hand.command("from-metrics")
    hand.sees("scrapes")
    hand.line("before.txt after.txt")
    hand.sees("between")
    hand.line("5min")
    hand.sees("model name")
    hand.line()
    hand.sees("a new JSON file")
    hand.line()
    hand.sees("rate        10.0 requests/s")
    hand.press("Escape")
    hand.sees("not planned")
    hand.command("simulate")
    hand.sees("Today's fleet")
    hand.line("h100 tp4 x4")
    for _ in range(3):
        hand.line()
    hand.line("TTFT 500ms")
    screen = hand.sees(at_rest)
    assert (folder / "measured.json").exists()
    return f"{headline(screen)}; {line_with(screen, 'limits')}"


def five_models(hand: Hand, _folder: Path) -> str:
    """From five models to one plan on 40 A100 and 64 H100."""
    hand.press("a")
    hand.sees("A new question")
    hand.line()
    hand.line("60/s + 20/s + 15/s + 40/s + 10/s")
    hand.line(FIVE)
    hand.line("40 a100 + 64 h100")
    hand.line("TTFT 2s")
    hand.sees("at work", patience=60)
    screen = hand.sees("Joint plan")
    return line_with(screen, "simulated:")


def growth(hand: Hand, _folder: Path) -> str:
    """From a plan to the day on which more is to be ordered."""
    hand.command("growth")
    hand.sees("what if   enter takes it")
    hand.line()
    return line_with(hand.sees(lambda text: re.search(r"order \d+ more (by \d|now, already late)", text)), "; order ")


def compare(hand: Hand, folder: Path) -> str:
    """From two plans to which is better, and a report of one for others."""
    hand.press("6")
    hand.sees("5 plans")
    hand.press("j", "j", "Space", "j", "Space", "c")
    screen = hand.sees("is the baseline")
    said = line_with(screen, "costs $")
    hand.press("w")
    hand.sees("report")
    hand.line("report")
    hand.sees("enter takes it")
    hand.press("Enter")
    hand.sees("written: plan-")
    reports = [*folder.glob("*.html")]
    assert reports, "no report was written"
    return f"{said}; {reports[0].name}"


def fill(folder: Path) -> None:
    """Keep five plans in a person's store."""
    place = folder / "data" / "fleettui"
    place.mkdir(parents=True)
    seeded.fill(place / FILE_NAME)


JOBS = (
    Job(name="users", wants="users to the sentence with its caveat", do=users, minutes=4.0, most=60),
    Job(name="metrics", wants="a server's metrics to spare or short", do=metrics, minutes=3.0, begins=pair),
    Job(name="models", wants="five models on 40 A100 + 64 H100", do=five_models, minutes=6.0),
    Job(name="growth", wants="when to order more", do=growth, minutes=2.0, begins=fill, opens="fleettui open summer"),
    Job(name="compare", wants="two plans compared, and a report", do=compare, minutes=3.0, begins=fill),
)


def seconds_of(shell: Tmux) -> float:
    """Return the processor's seconds of all that the shell has started and that has ended."""
    _own, children = re.findall(r"(\d+)m([\d.]+)s (\d+)m([\d.]+)s", shell.answer("times"))
    return sum(60 * float(minutes) + float(seconds) for minutes, seconds in (children[:2], children[2:]))


def done(job: Job, folder: Path) -> Done:
    """Do a job in a folder of its own."""
    job.begins(folder)
    shell = Tmux(places(folder))
    shell.start(folder, SIZE, "tmux-256color")
    try:
        hand, began = Hand(shell), time.monotonic()
        hand.line(job.opens)
        hand.sees("q quit")
        answer = job.do(hand, folder)
        clock, keys = time.monotonic() - began, hand.keys
        for key in ("Escape", "Escape", "q"):
            shell.press(key)
            time.sleep(ALONE)
        assert shell.until_shell() == 0
        return Done(job=job, keys=keys, computed=seconds_of(shell), clock=clock, answer=answer)
    finally:
        shell.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the jobs and print what each took; exit 1 where one took longer or more keys than it may."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--jobs", nargs="*", choices=[job.name for job in JOBS])
    wanted = reader.parse_args(arguments).jobs
    found = []
    for job in JOBS:
        if not wanted or job.name in wanted:
            with tempfile.TemporaryDirectory() as folder:
                found.append(done(job, Path(folder)))
            sys.stderr.write(f"{job.name}: {found[-1].answer}\n")
    show(
        "five jobs of a new user, by real keys at 80x24",
        ("job", "keys", "typing s", "processor s", "together s", "by the clock s"),
        [
            (
                one.job.wants,
                str(one.keys),
                *(f"{value:.0f}" for value in (one.keys * A_KEY, one.computed, one.seconds, one.clock)),
            )
            for one in found
        ],
        note="together: .15 s a key, and the processor's seconds; the clock has what else the machine did",
    )
    return verdict([(_words(one), one.met) for one in found])


def _words(one: Done) -> str:
    keys = "" if one.job.most is None else f" and {one.job.most} keys"
    return f"{one.job.wants} within {one.job.minutes:g} min{keys}: {one.answer}"


if __name__ == "__main__":
    sys.exit(main())
