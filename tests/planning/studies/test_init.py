"""The kinds of study: what each declares holds together, and what is typed leads to one of them."""

import inspect
import re
from datetime import date, datetime
from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.planning import studies
from fleettui.planning.studies import STUDIES, arguments_of, asked, commands, types_of
from fleettui.planning.studies.study_type import StudyType
from fleettui.planning.studies.whatif import WHATIF, line_help, lines, read_line
from fleettui.reports.studies_table import KIND, KIND_WORDS

START, TODAY = date(2027, 1, 2), datetime.now().astimezone().date()
GROWTH = {
    "plan": "last",
    "per_month": 0.08,
    "lead_days": 84.0,
    "months": 24,
    "start": TODAY,
    "span": None,
    "orders": "quarter",
}


@pytest.mark.parametrize("study", tuple(STUDIES), ids=lambda study: study.kind)
def test_a_kind_of_study_takes_what_it_reads_at_a_desk(study: StudyType) -> None:
    assert next(iter(inspect.signature(study.work).parameters)) == "desk"
    assert len(KIND_WORDS.get(study.kind, study.kind)) <= KIND, "the list of studies has room for it"
    assert STUDIES.named(study.kind) is study
    assert studies.picture_of(study.kind) is study.picture


def test_a_commands_examples_have_their_own_lines() -> None:
    """A sign that is shown by itself was meant to keep the lines apart."""
    told = {one.kind: one.command.examples.splitlines() for one in STUDIES if one.command is not None}
    assert [kind for kind, lines in told.items() if {"\\", "\\b"} & {line.strip() for line in lines}] == []


def test_a_kind_of_another_program_is_drawn_as_most_are() -> None:
    assert studies.picture_of("a kind of tomorrow").between == "line"


@pytest.mark.parametrize("name", commands())
def test_a_commands_arguments_have_names_of_their_own_and_its_prompt_fills_them(name: str) -> None:
    command = commands()[name]
    names = [one.name for one in arguments_of(command)]
    assert len(set(names)) == len(names)
    assert all(one.form == "word" for one in command.arguments[:1])
    assert all(one.arguments for one in types_of(command) if len(types_of(command)) > 1)
    if command.prompt is not None:
        line = studies.line_help(command).partition(" (")[0].split("\n")[0] if command.of_shown else "last"
        assert set(studies.read_line(command, line.strip())) <= set(names)
    elif studies.prompted(command):
        told = " ".join(studies.line_help(command).split()).removeprefix("any of: ")
        given = studies.read_line(command, told.replace(" | ", " "))
        assert set(given) == set(names[1:]), "each option is told, with an example that reads"
        assert asked(command, {names[0]: "last", **given})


def what_if(line: str) -> tuple[str, dict[str, object]]:
    """Return the kind of study that a line asks for of the last plan, and its values."""
    study, values = asked(WHATIF, {"plan": "last", **read_line(line)})
    return study.kind, values


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
        ("growth 8%/month 12w orders each", {"orders": "each"}),
        ("growth 5%:5%/month 12w --orders=month", {"per_month": 0.05, "orders": "month"}),
    ],
)
def test_growth_takes_a_lead_time_and_all_that_the_command_takes(line: str, changed: dict[str, object]) -> None:
    assert what_if(line) == ("growth", GROWTH | changed)


@pytest.mark.parametrize(
    ("line", "kind", "values"),
    [
        ("steps", "steps", {"low": None, "high": None}),
        ("steps from 50/s --to 6000/min", "steps", {"low": 50.0, "high": 100.0}),
        (" sensitivity ", "sensitivity", {"samples": 400, "seed": None}),
        ("--sensitivity --samples 10 seed 3", "sensitivity", {"samples": 10, "seed": 3}),
        ("rate=50/s:400/s:8 gpu=h100,a100", "whatif", {"sweep": ("rate=50/s:400/s:8", "gpu=h100,a100")}),
        ("--sweep price=h100=2:4:5", "whatif", {"sweep": ("price=h100=2:4:5",)}),
    ],
)
def test_other_questions_read_as_the_command_reads_them(line: str, kind: str, values: dict[str, object]) -> None:
    assert what_if(line) == (kind, {"plan": "last", **values})


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
        ("growth 8%/month orders yearly", "no way to order"),
        ("growth 9%:8%/month", "range of growth falls"),
        ("steps sensitivity", "several questions at once"),
        ("--sweep", "nothing is asked"),
    ],
)
def test_other_lines_are_refused(line: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        what_if(line)


def test_the_help_shows_lines_that_read_with_all_that_may_follow() -> None:
    *told, _ = line_help().split("\n")
    whole = [re.sub(r" +\(also:", "", line.replace(")", "")) for line in told if "also" in line]
    for line in (*lines().split("; "), *whole):
        assert what_if(line)
    assert max(map(len, told)) <= 80


TYPED: dict[str, dict[str, Any]] = {
    "scheduler": {"only": "shortest,mlfq"},
    "sessions": {"rate": "2/s", "load": "95%", "tool": "0.2s", "short": "10/2,5/1", "long": "20/2,5/1"},
    "routers": {"only": "random,vllm-dp", "slow": "50%"},
    "power": {"for": "75s"},
    "frontier": {"gpus": "16", "ttft": "0.4s,5s", "afd": "tp2dp4/ep8", "link": "50GB/s", "no-verify": True},
    "hetero": {"cheaper": "h20=1.2", "gpu": "h200"},
    "rollout": {"from": "tp4", "at": "10%,40%", "pause": "1s", "recompute": True},
    "energy": {},
}


@pytest.mark.parametrize("kind", TYPED)
def test_what_was_asked_is_told_as_it_is_typed_and_reads_back_as_the_same(kind: str) -> None:
    """Options stand as the command declares them; what is as it comes is not told."""
    study, given = STUDIES.named(kind), {"plan": "41a7", **TYPED[kind]}
    values = study.values(given)
    order = [one.name for one in study.takes if one.name in TYPED[kind]]
    told = [f"--{name}" if TYPED[kind][name] is True else f"--{name} {TYPED[kind][name]}" for name in order]
    asks = study.asked("41a7", study.defaults | values)
    assert asks == " ".join([kind, "41a7", *told])
    assert study.command is not None
    assert study.values({"plan": "41a7", **studies.read_line(study.command, asks.partition(" 41a7")[2])}) == values


def test_a_number_out_of_its_range_is_refused_with_both_ends() -> None:
    with pytest.raises(InputError) as refusal:
        STUDIES.named("sessions").values({"plan": "last", "sessions": "3"})
    assert (refusal.value.where, refusal.value.accepted) == ("--sessions", "from 20 up to 20k")


def test_every_form_that_an_argument_names_is_there_and_reads_its_example() -> None:
    for study in STUDIES:
        for one in study.takes:
            if one.reads and one.example is not None:
                assert one.value((one.example,) if one.form == "several" else one.example) is not None
