"""An answer of hardware that the own fit has not seen stands beside the best of what it has, as simulated."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.domain.scenario import Question
from fleettui.planning.beside_unseen import with_seen_alone
from fleettui.planning.shown_fleets import ShownFleets
from tests.planning.test_measured_of_equals import KNOWN, OWN, QUESTION
from tests.planning.trials import evidence, shape
from tests.store import samples

UNSEEN = replace(shape(3, gpu="b200"), cost_per_hour=42.0, evidence=evidence("pass"))
TP4 = replace(KNOWN, fleet=replace(KNOWN.fleet, pools=(replace(KNOWN.fleet.pools[0], tp=4),)))
WIDE = replace(QUESTION, fit=replace(QUESTION.fit, servers=(OWN, replace(OWN, tp=4)))) if QUESTION.fit else QUESTION
OLD = "pool short: own fit prod has seen no b200 tp2, so its step times are the catalogue's, as without that fit"
RATE = samples.answer(1).demand.rate


class Workers:
    """Workers that find by formula what each question's fit has seen."""

    def __init__(self, wider: Question | None) -> None:
        self.wider = wider
        self.asked: list[str] = []

    async def run(self, name: str, _: object, *, source: Any, **_more: Any) -> Any:
        self.asked.append(name)
        if name == "fitted-wider":
            return [] if self.wider is None else [SimpleNamespace(question=self.wider, rate=RATE)]
        return [one for one in (TP4, KNOWN) if source.question.has_measured(one.fleet)]


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate each fleet to hold at ten times what the formulas say, of four GPUs a replica at half of that."""

    async def smallest(shown: ShownFleets, one: Candidate, _: float) -> list[Candidate]:
        held = replace(one, cost_per_hour=140.0 if one.fleet == KNOWN.fleet else 70.0, evidence=evidence("pass"))
        shown.looks.append(Look(rate=RATE, candidate=held))
        return [held]

    monkeypatch.setattr(ShownFleets, "_smallest", smallest)


async def told(workers: Workers, **changes: Any) -> Answer:
    source = SimpleNamespace(question=QUESTION, rate=RATE)
    simulator: Any = SimpleNamespace(source=source, workers=workers, store=None, seed=1, report=None)
    known: dict[str, Any] = {"verdict": "pass", "answer": UNSEEN, "candidates": (UNSEEN,), "warnings": (OLD, "kept")}
    return await with_seen_alone(simulator, replace(samples.answer(1), looks=(), **(known | changes)))


@pytest.mark.usefixtures("looked")
async def test_the_best_of_what_was_seen_stands_beside_it_as_simulated() -> None:
    """Found: $42/h of B200 passed under a correction of H100, and nothing said that theirs were not corrected."""
    found = await told(Workers(WIDE))
    assert found.warnings == (
        "kept",
        "steps of b200 tp2 not fitted: own fit prod has seen none; of what it has H100 tp2 x2 holds, as simulated: "
        "$140.00/h beside $42.00/h; if all H100 are so, as is likely, H100 tp4 x2 holds, as simulated: $70.00/h",
    )
    (look,) = found.looks
    assert look.candidate.fleet == KNOWN.fleet, "those of other steps than the plan's are not kept with it"


@pytest.mark.usefixtures("looked")
async def test_nothing_is_said_of_other_divisions_where_the_fit_is_right_for_no_more() -> None:
    (_, said) = (await told(Workers(None))).warnings
    assert said.endswith("$140.00/h beside $42.00/h")


@pytest.mark.parametrize(
    "changes",
    [{"answer": KNOWN}, {"verdict": "fail"}, {"answer": None}],
    ids=["it was seen", "it does not hold", "there is none"],
)
async def test_an_answer_that_was_seen_or_does_not_hold_stays_as_it_is(changes: dict[str, Any]) -> None:
    workers = Workers(WIDE)
    assert (await told(workers, **changes)).warnings == (OLD, "kept")
    assert workers.asked == []
