import re
from datetime import date
from functools import partial

import pytest

from fleettui.errors import InputError
from fleettui.planning import whatif
from fleettui.planning.whatif_request import HELP, LINES, read_line, work_of

TODAY = date(2026, 12, 1)
START = date(2027, 1, 2)
GROWTH = {"per_month": 0.08, "lead_days": 84.0, "months": 24, "start": TODAY}


def asked(line: str) -> tuple[object, dict[str, object]]:
    """Return the use case that a line asks for, and what it is given."""
    work = work_of(read_line(line), TODAY)
    assert isinstance(work, partial)
    return work.func, work.keywords


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("growth 8%/month", {}),
        ("--growth 8%/month", {}),
        ("growth 8%/month 4w", {"lead_days": 28.0}),
        ("growth 8%/month lead 4w", {"lead_days": 28.0}),
        ("growth 8%/month --lead-time 4w", {"lead_days": 28.0}),
        ("--growth=8%/month --lead-time=4w", {"lead_days": 28.0}),
        ("growth 8%/month lead 90d months 6 start 2027-01-02", {"lead_days": 90.0, "months": 6, "start": START}),
        ("growth 8%/month --start 2027-01-02 0d", {"lead_days": 0.0, "start": START}),
    ],
)
def test_growth_takes_a_lead_time_and_all_that_the_command_takes(line: str, changed: dict[str, object]) -> None:
    assert asked(line) == (whatif.growth, GROWTH | changed)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("steps", (whatif.step_table, {"low": None, "high": None})),
        ("steps from 50/s --to 6000/min", (whatif.step_table, {"low": 50.0, "high": 100.0})),
        (" sensitivity ", (whatif.sensitivity, {"samples": 400, "seed": None})),
        ("--sensitivity --samples 10 seed 3", (whatif.sensitivity, {"samples": 10, "seed": 3})),
        ("rate=50/s:400/s:8 gpu=h100,a100", (whatif.sweep, {"texts": ("rate=50/s:400/s:8", "gpu=h100,a100")})),
        ("--sweep price=h100=2:4:5", (whatif.sweep, {"texts": ("price=h100=2:4:5",)})),
    ],
)
def test_other_questions_read_as_the_command_reads_them(line: str, expected: object) -> None:
    assert asked(line) == expected


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("", "nothing is asked"),
        ("what", "no what-if question"),
        ("steps 5", "no what-if question"),
        ("growth", "growth needs a unit of time"),
        ("growth 8%", "growth needs a unit of time"),
        ("growth 8%/month 12", "lead time needs a unit"),
        ("growth 8%/month 12w 13w", "no what-if question"),
        ("growth 8%/month months 1.5", "no whole number"),
        ("growth 8%/month lead", "lead time"),
        ("steps months 6", "this goes with --growth"),
        ("steps sensitivity", "several questions at once"),
        ("--sweep", "nothing is asked"),
    ],
)
def test_other_lines_are_refused(line: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        asked(line)


def test_the_help_shows_lines_that_read_with_all_that_may_follow() -> None:
    for line in [
        *LINES.split("; "),
        *re.sub(r" +\((growth and lead time; )?also:", "", HELP.replace(")", "")).split("\n")[:3],
    ]:
        assert asked(line)
    assert max(map(len, HELP.split("\n")[:3])) <= 80
