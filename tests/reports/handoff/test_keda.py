from dataclasses import replace
from typing import Any

import pytest

from fleettui.reports.handoff import FORMATS
from fleettui.reports.handoff.model import Subject
from tests.reports.handoff import yaml_files
from tests.reports.handoff.plans import PLANS, studied, subject, unsure

SPEC = {"scaleTargetRef", "minReplicaCount", "maxReplicaCount", "triggers"}
"""Fields of a ScaledObject, keda.sh/v1alpha1."""
TRIGGER = {"type", "name", "metricType", "metadata"}


def scaled(deployed: Subject) -> list[dict[str, Any]]:
    (file,) = FORMATS.named("keda").write(deployed)
    return list(yaml_files.load_all(file.text))


@pytest.mark.parametrize("name", PLANS)
def test_every_pool_scales_by_its_own_figures(name: str) -> None:
    deployed = subject(name)
    for part, one in zip(deployed.pools, scaled(deployed), strict=True):
        assert (one["apiVersion"], one["kind"]) == ("keda.sh/v1alpha1", "ScaledObject")
        assert set(one["spec"]) == SPEC
        target = one["spec"]["scaleTargetRef"]
        kind = "LeaderWorkerSet" if part.nodes > 1 else "Deployment"
        assert (target["kind"], target["name"]) == (kind, one["metadata"]["name"])
        running, waiting = one["spec"]["triggers"]
        assert set(running) == set(waiting) == TRIGGER
        # what the whole pool runs at the planned rate takes all its replicas, the spare ones too
        for trigger, planned in ((running, part.running), (waiting, part.waiting)):
            whole = planned * part.pool.replicas
            assert whole / float(trigger["metadata"]["threshold"]) == pytest.approx(part.replicas, rel=1e-5)
        least, most = one["spec"]["minReplicaCount"], one["spec"]["maxReplicaCount"]
        assert 1 <= least <= part.replicas <= most


def test_a_pool_goes_from_the_plans_range_to_what_suffices_in_nine_cases_of_ten() -> None:
    deployed = subject("trtllm")
    assert unsure(deployed.kept).answer.confidence == deployed.kept.answer.confidence
    ranges = [(one["spec"]["minReplicaCount"], one["spec"]["maxReplicaCount"]) for one in scaled(deployed)]
    # 16 GPUs planned and 12 at the fast end: three quarters of 3 and of 1, and never none; in nine of ten 5 and 2
    assert ranges == [(3, 5), (1, 2)]


def test_a_replayed_day_gives_the_bounds_and_the_thresholds() -> None:
    deployed = studied(subject("two pools"))
    for one in scaled(deployed):
        assert (one["spec"]["minReplicaCount"], one["spec"]["maxReplicaCount"]) == (2, 20)
        assert [trigger["metadata"]["threshold"] for trigger in one["spec"]["triggers"]] == ["50", "1"]
    (file,) = FORMATS.named("keda").write(deployed)
    words = " ".join(file.text.replace("\n#  ", "").split())
    assert "keda met every limit for 99.30% of the requests" in words
    assert "a replica was taken to start in 300 s: fleettui autoscale 9f3c --delay 5min replays" in words
    assert "how long a replica takes to start" not in words
    assert "50 sequences run on a replica at 10.0/s, the most that it holds at nominal speed" in words
    assert "WARNING: this breaks" not in words, "99.30% of 99%"


def test_a_policy_that_broke_the_slo_in_its_replay_is_warned_of_at_the_head() -> None:
    deployed = studied(subject("two pools"))
    strict = replace(deployed.question, slo=replace(deployed.question.slo, percentile=0.999))
    scenario = replace(deployed.kept.scenario, question=strict)
    (file,) = FORMATS.named("keda").write(replace(deployed, kept=replace(deployed.kept, scenario=scenario)))
    words = " ".join(file.text.replace("\n#  ", "").split())
    assert "WARNING: this breaks the SLO, as replayed: keda met every limit for 99.30% of the requests" in words
    assert words.index("WARNING: this breaks") < words.index("kind: ScaledObject")


def test_without_a_replayed_day_it_says_what_is_not_known_and_what_finds_it_out() -> None:
    (file,) = FORMATS.named("keda").write(subject("two pools"))
    words = " ".join(file.text.replace("\n#  ", "").split())
    assert "Not known here: how long a replica takes to start" in words
    assert "fleettui autoscale 9f3c --delay 5min replays a day with that" in words
