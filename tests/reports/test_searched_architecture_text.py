"""What is told of other architectures beside a plan: what each takes, how that is known, and which takes less."""

from dataclasses import replace

import pytest

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.disagg import Disaggregated
from fleettui.domain.frontier import ArchitectureNeed, FrontierProof
from fleettui.domain.plan import Estimate
from fleettui.reports.searched_architecture_text import AUTO, beside_others, warnings
from tests.cli.conftest import BEST
from tests.reports.studies.test_disagg import FOUND, PROOF
from tests.reports.studies.test_frontier import AFD

UNHELD = ARCHITECTURES.named("afd").caution
NEED = ArchitectureNeed(architecture="afd", gpu="h100", most=32, point=replace(AFD, gpus=20, cost=59.0))
LARGER = replace(AFD, gpus=24, cost=70.8)
HELD = FrontierProof(
    bound=0.5, point=LARGER, ttft=Estimate(value=0.45), tpot=Estimate(value=0.03), holds=True, runs=5, tried=2
)


@pytest.mark.parametrize(
    ("need", "words"),
    [
        (replace(NEED, point=None), "holds the limits on no 32 H100 or fewer, by formula"),
        (NEED, f"takes $59/h, 20 GPUs, H100 tp4 x10 > A/F tp2dp4/ep8 x4 (by formula; {UNHELD})"),
        (
            replace(NEED, proof=HELD),
            f"takes $71/h, 24 GPUs, H100 tp4 x10 > A/F tp2dp4/ep8 x4 (as simulated, 5 runs; {UNHELD})",
        ),
        (
            replace(NEED, proof=replace(HELD, holds=False)),
            "takes 20 GPUs by formula, but no fleet of up to 24 that was simulated holds",
        ),
    ],
)
def test_what_fleets_take_whose_attention_is_apart_says_how_it_is_known(need: ArchitectureNeed, words: str) -> None:
    both, afd = beside_others("both ways cost the same", [need])
    assert both == f"{AUTO} both ways cost the same: fleettui disagg last"
    assert afd == f"{AUTO} attention/FFN {words}: fleettui frontier last"


def test_beside_a_plan_that_is_to_be_sure_all_are_told_to_be_at_nominal_speed() -> None:
    nominal = ", at nominal speed, where the plan is to be 90% sure"
    _, afd = beside_others("both ways cost the same", [NEED], 0.9)
    assert afd.endswith(f"{UNHELD}){nominal}: fleettui frontier last")
    (cheaper,) = warnings(replace(BEST, cost_per_hour=60.0), (), [NEED], 0.9)
    less = f"attention/FFN costs $1.00/h less than H100 tp8 x6{nominal}, the least whose replicas do both"
    assert cheaper == f"{less}: fleettui frontier last"


NONE = replace(NEED, point=None)
FAILED = replace(FOUND, apart=replace(PROOF, verdict="fail", cost=10.0), together=PROOF)


@pytest.mark.parametrize(
    ("cost", "found", "need", "words"),
    [
        (60.0, (), NEED, ["attention/FFN costs $1.00/h less than this fleet"]),
        (60.0, (), replace(NEED, proof=HELD), []),
        (80.0, (), replace(NEED, proof=replace(HELD, holds=False)), []),
        (59.0, (FOUND,), NEED, []),
        (200.0, (FOUND,), NONE, ["prefill/decode costs $35/h less than this fleet"]),
        (200.0, (FOUND,), NEED, ["attention/FFN costs $141/h less than this fleet"]),
        (200.0, (FAILED,), NONE, []),
    ],
)
def test_a_plan_warns_of_what_takes_less_than_its_own_fleet(
    cost: float, found: tuple[Disaggregated, ...], need: ArchitectureNeed, words: list[str]
) -> None:
    told = [one.partition(", the least")[0] for one in warnings(replace(BEST, cost_per_hour=cost), found, [need])]
    assert told == words
