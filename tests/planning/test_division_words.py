from dataclasses import replace

from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.division_words import would_be_sure, would_hold
from tests.planning.trials import evidence, seen, shape

ASKED = Question(workload="made-up", slo=Slo(ttft=0.5), gpus=("h100",))


def test_as_many_gpus_would_hold_and_fewer_would_do() -> None:
    """The latency is that of the pool nearest to its limit."""
    best, proof = shape(4), evidence("pass", seen("short", (0.3, 0.4), "pass"))
    tp = best.fleet.pools[0].tp
    held = replace(shape(4), evidence=proof)
    assert would_hold(best, held, ASKED) == (
        f"tp{tp} x4 of the same {4 * tp} H100 would hold: P99 TTFT 0.4 s within 0.5 s, as simulated"
    )
    fewer = replace(shape(3), gpus=3 * tp, evidence=proof)
    assert would_hold(best, fewer, ASKED).startswith(f"{3 * tp} of the same {4 * tp} H100 as tp{tp} x3 would do: P99 ")
    assert would_be_sure(best, held, 0.948) == f"tp{tp} x4 of the same {4 * tp} H100 would be 94% sure, as simulated"


def test_another_length_is_told_and_the_gpu_where_there_are_two_types() -> None:
    best, proof = shape(2, 4), evidence("pass", seen("short", (0.3, 0.4), "pass"))
    short, long = best.fleet.pools
    moved = replace(best.fleet, pools=(replace(short, up_to=700), replace(long, above=700)))
    words = would_hold(best, replace(best, fleet=moved, evidence=proof), ASKED)
    assert words.startswith(f"tp{short.tp} x2 + tp{long.tp} x4 split at 700 tokens of the same ")
    mixed = replace(best, fleet=replace(best.fleet, pools=(replace(short, gpu="a100"), long)))
    alone = replace(mixed, fleet=replace(best.fleet, pools=(replace(long, above=0),)), gpus=long.gpus, evidence=proof)
    assert would_hold(mixed, alone, ASKED).startswith(
        f"{long.gpus} of the same {short.gpus} A100 + {long.gpus} H100 as H100 tp{long.tp} x4 would do: "
    )
