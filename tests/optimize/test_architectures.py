"""Fleets of every architecture within a number of GPUs: all are within it, and AFD answers to its links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.afd import AfdLayout
from fleettui.domain.frontier import FrontierPoint
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.afd import AfdReplica
from fleettui.hardware.kv_transfer import cache_size, links_between
from fleettui.hardware.profile import build_profile
from fleettui.optimize.architectures import Architectures

MODEL, GPU = catalog.model("llama-3.1-70b"), catalog.gpu("h100")
PROFILES = tuple(build_profile(GPU, MODEL, dtype="bf16", tp=tp, step_law="kernels") for tp in (4, 8))
ATOMS = ((3.0, 900.0, 250.0), (2.0, 3000.0, 120.0), (1.0, 200.0, 700.0))
ASKED = Question(workload="x", slo=Slo(ttft=1.0, tpot=0.1), pools=(1,), step_law="kernels")


def afd(text: str, network: float = 50e9) -> tuple[str, Profile]:
    replica = AfdReplica(
        model=MODEL,
        dtype="bf16",
        kv_dtype="bf16",
        attention_gpu=GPU,
        feed_forward_gpu=GPU,
        layout=AfdLayout.read(text),
        network=network,
        engine=catalog.engine("vllm"),
    )
    return text, replica.profile(PROFILES[-1], (2.95, 2.95), 1500.0)


MADE = Architectures(
    question=ASKED,
    slices=((20.0, ATOMS),),
    context=4096,
    gpus=40,
    profiles=PROFILES,
    afd=(afd("tp2dp2/tp4"),),
    cache=cache_size(MODEL, "bf16"),
    links_of=lambda prefill, decode: links_between(prefill, decode, {"h100": GPU}, None),
)


def points(made: Architectures = MADE) -> tuple[FrontierPoint, ...]:
    return made.tried(lambda: None).points


def test_every_fleet_is_within_the_gpus_and_the_utilization_cap() -> None:
    found = points()
    assert {one.architecture for one in found} == set(ARCHITECTURES.names)
    for one in found:
        assert 0 < one.gpus <= MADE.gpus
        assert one.cost == pytest.approx(one.gpus * PROFILES[0].price_per_hour)
        assert (
            (one.together is None)
            == (one.apart is not None)
            == (ARCHITECTURES.named(one.architecture).then is not None)
        )
        assert len(MADE.replicas_of(one)) == 1 + (one.together is None)
        assert one.tokens == pytest.approx(20.0 * (3 * 250 + 2 * 120 + 700) / 6)


def test_no_fleet_keeps_up_above_the_highest_rate_and_some_do_below_it() -> None:
    most = MADE.most_rate()
    assert points(replace(MADE, slices=((1.02 * most, ATOMS),))) == ()
    assert points(replace(MADE, slices=((0.8 * most, ATOMS),)))


@pytest.mark.thorough
def test_slow_links_between_the_roles_make_afd_slow_and_nothing_else() -> None:
    def fastest(architecture: str, made: Architectures) -> float:
        return min(one.tpot for one in points(made) if one.architecture == architecture)

    slow = replace(MADE, afd=(afd("tp2dp2/tp4", network=1e9),))
    assert fastest("afd", slow) > 1.2 * fastest("afd", MADE)
    assert fastest("apart", slow) == fastest("apart", MADE)
