"""What a plan warns of that is true of another fleet than its answer, with warnings as plans tell them."""

from dataclasses import replace

from fleettui.planning.candidate_warnings import of_another
from tests.store import samples

BURSTS = "bursts: busiest of 57 minutes at 29.2/s: no fleet holds, --rate 29.2/s"
COUNTED = (
    "pool all: a looser limit takes ~8 GPUs fewer: --slo-ttft 165ms",
    "these arrivals: as Poisson's 1 GPU fewer, --arrivals poisson",
    "bursts: busiest of 57 minutes at 29.2/s: 14 more like these, --rate 29.2/s",
    "a token budget of 4,096: as many GPUs, one pool, --token-budget 4096",
)


def test_what_was_asked_stays_said_and_nothing_that_counts_from_the_answer() -> None:
    plan = replace(samples.answer(1), warnings=(*COUNTED, BURSTS, "pool all: of the answer's own", "bf16 is a guess"))
    assert of_another(plan, ["router length must know outputs"]) == (
        "router length must know outputs",
        BURSTS,
        "bf16 is a guess",
    )
