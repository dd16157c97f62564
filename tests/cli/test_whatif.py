import json
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest

from fleettui.domain.study import Study, StudyColumn, StudyTable
from fleettui.planning import whatif

Run = Callable[..., tuple[int, str, str]]
STUDY = Study(
    kind="steps",
    handle="1a2b",
    title="what",
    question="whatif 9f3c --steps",
    sentences=("it holds",),
    tables=(StudyTable(title="t", columns=(StudyColumn(name="gpus", quantity="count"),), rows=((48,),)),),
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, dict[str, Any]]]:
    """Answer every question at once, and return what was asked: which, of which plan, with what."""
    calls: list[tuple[str, str, dict[str, Any]]] = []

    def answering(name: str) -> Any:
        async def answer(_: Any, ref: str, *, report: Any, pool: Any, **given: Any) -> Study:
            assert report is not None
            assert pool is not None
            calls.append((name, ref, given))
            return STUDY

        return answer

    for name in ("sweep", "step_table", "growth", "sensitivity"):
        monkeypatch.setattr(whatif, name, answering(name))
    return calls


def test_each_question_goes_to_its_use_case(run: Run, asked: list[tuple[str, str, dict[str, Any]]]) -> None:
    code, out, err = run("whatif", "9f3c", "--sweep", "rate=1/s,2/s", "--sweep", "gpu=h100,a100")
    assert (code, err) == (0, "")
    assert "it holds" in out
    run("whatif", "last", "--steps", "--from", "50/s", "--to", "6000/min")
    run("whatif", "last", "--growth", "8%/month", "--lead-time", "4w", "--months", "6", "--start", "2026-12-01")
    run("whatif", "last", "--sensitivity", "--samples", "10", "--seed", "3")
    assert asked == [
        ("sweep", "9f3c", {"texts": ("rate=1/s,2/s", "gpu=h100,a100")}),
        ("step_table", "last", {"low": 50.0, "high": 100.0}),
        ("growth", "last", {"per_month": 0.08, "lead_days": 28.0, "months": 6, "start": date(2026, 12, 1)}),
        ("sensitivity", "last", {"samples": 10, "seed": 3}),
    ]


def test_what_is_not_said_has_a_default(run: Run, asked: list[tuple[str, str, dict[str, Any]]]) -> None:
    for option in ("--steps", "--growth=8%/month", "--sensitivity"):
        run("whatif", "last", option)
    steps, growth, sensitivity = (given for _, _, given in asked)
    assert steps == {"low": None, "high": None}
    today = datetime.now().astimezone().date()
    assert growth == {"per_month": 0.08, "lead_days": 84.0, "months": 24, "start": today}
    assert sensitivity == {"samples": 400, "seed": None}


def test_json_is_one_object(run: Run, asked: list[tuple[str, str, dict[str, Any]]]) -> None:
    found = json.loads(run("whatif", "last", "--steps", "--json")[1])
    assert found["command"] == "whatif"
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ((), "nothing is asked"),
        (("--steps", "--sensitivity"), "several questions at once"),
        (("--steps", "--samples", "5"), "--samples: this goes with --sensitivity"),
        (("--sensitivity", "--from", "5/s"), "--from: this goes with --steps"),
        (("--steps", "--from", "5"), "--from: rate needs a unit"),
        (("--growth", "8%"), "--growth: growth needs a unit of time"),
        (("--growth", "8%/month", "--lead-time", "12"), "--lead-time: lead time needs a unit"),
        (("--growth", "8%/month", "--start", "soon"), "--start: this is no day"),
        (("--sensitivity", "--seed", "-1"), "--seed: this is no seed"),
        (("--sensitivity", "--samples", "x"), "--samples"),
    ],
)
def test_bad_options_are_refused(
    options: tuple[str, ...],
    what: str,
    run: Run,
    refused: Callable[..., str],
    asked: list[tuple[str, str, dict[str, Any]]],
) -> None:
    assert what in refused(run("whatif", "last", *options))
    assert asked == []


def test_a_plan_that_is_not_kept_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("whatif", "nosuch", "--steps"))
    assert "missing argument 'PLAN'" in refused(run("whatif", "--steps"))
