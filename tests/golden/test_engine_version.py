"""A number that changes without a new engine version is a broken promise: these answers are kept to six digits.

After a change that is meant, raise ENGINE_VERSION in fleettui/domain/plan.py and write the file anew:
`python -m tests.golden.test_engine_version`.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.engine_changes import CHANGES
from fleettui.domain.plan import ENGINE_VERSION
from fleettui.domain.scenario import Preset, Question
from fleettui.domain.serialization import to_plain, to_wire
from fleettui.domain.simulation import PoolLength
from fleettui.domain.slo import Slo
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import verification
from fleettui.planning.tasks.plan import run
from tests.repeated import few

FILE = Path(__file__).with_name("answers.json")


def asked(workload: str, rate: float, slo: Slo, gpu: str, preset: Preset = "recommended") -> Question:
    return Question(
        workload=workload,
        demand=Demand(form="rate", rate=rate),
        slo=slo,
        gpus=(gpu,),
        max_num_seqs=256,
        token_budget=2048,
        front_end=0.0,
        preset=preset,
        step_law="roofline",
    )


QUESTIONS = {
    "azure conv": asked("azure-2023-conv", 100.0, Slo(ttft=0.5), "h100"),
    "azure code": asked("azure-2023-code", 30.0, Slo(ttft=2.0, tpot=0.08), "a100"),
    "mooncake": asked("mooncake-conversation", 5.0, Slo(ttft=20.0, e2e=120.0), "h200"),
    "reasoning": asked("servegen-deepseek-r1-h10", 10.0, Slo(tpot=0.05), "mi300x"),
    "papers": asked("azure-paper", 1000.0, Slo(ttft=0.5), "a100", "paper"),
}


CLOSED = replace(QUESTIONS["azure conv"], demand=Demand(form="concurrency", concurrency=200, think=2.0))
SIMULATED = {
    "azure conv": QUESTIONS["azure conv"],
    "closed": replace(CLOSED, pools=(1,)),
    "starved": replace(QUESTIONS["mooncake"], admission="reserved"),
    "two closed": replace(CLOSED, pools=(2,)),
}
"""Questions whose formula's fleet is simulated for a little while."""
LENGTH = PoolLength(warm_up=500, measured=2000, relaxation=0.0)


def simulated(name: str) -> Any:
    """Return the first replication of the fleet that the formula answers with, its numbers to six digits."""
    question = SIMULATED[name]
    planned = run(Context(), question=question)
    answer = planned.answer
    assert answer.answer is not None
    fleet = answer.answer.fleet
    found = verification.replicate(
        Context(),
        source=SceneSource.of(question, planned.workload, answer.demand, name),
        fleet=fleet,
        lengths=(LENGTH,) * len(fleet.pools),
        seed=1,
        index=0,
    )
    replication = to_plain(found)
    del replication["digest"]
    for pool in replication["pools"]:
        del pool["histograms"]
    return rounded(replication)


def found(name: str) -> Any:
    """Return the answer to a question, its numbers to six significant digits."""
    return rounded(to_wire(run(Context(), question=QUESTIONS[name]).answer.answer))


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


@pytest.mark.parametrize("name", few(QUESTIONS, 2, more=len(QUESTIONS)))
def test_the_answer_is_that_of_this_engine_version(name: str) -> None:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    assert kept["engine_version"] == ENGINE_VERSION == max(CHANGES)
    assert found(name) == kept["answers"][name], "a number changed: raise ENGINE_VERSION and write the file anew"


@pytest.mark.parametrize("name", few(SIMULATED, 1, more=2))
def test_the_simulation_is_that_of_this_engine_version(name: str) -> None:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    assert simulated(name) == kept["replications"][name], "a number changed: raise ENGINE_VERSION, write the file anew"


if __name__ == "__main__":
    kept = {
        "engine_version": ENGINE_VERSION,
        "answers": {name: found(name) for name in QUESTIONS},
        "replications": {name: simulated(name) for name in SIMULATED},
    }
    FILE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
