"""What a hand-off takes from the newest autoscale study."""

from dataclasses import replace

import pytest

from fleettui.reports.handoff.scaling import needed, scaling_of, told
from tests.reports.handoff.plans import studied, subject


def test_each_pool_has_its_row() -> None:
    deployed = studied(subject("two pools"))
    for part in deployed.pools:
        found = needed(deployed, part)
        assert (found.study, found.least, found.most, found.in_service, found.target) == ("ab05", 2, 20, 50.0, 0.7)


def test_without_a_study_there_is_nothing_to_take() -> None:
    deployed = subject("two pools")
    assert scaling_of(deployed, deployed.pools[0]) is None
    with pytest.raises(AssertionError, match="looked for before"):
        needed(deployed, deployed.pools[0])


def test_a_policy_that_was_not_replayed_is_said_to_be_none() -> None:
    deployed = studied(subject("one pool"))
    assert told(deployed, "knative").endswith("; knative is not among its policies")
    study = deployed.kept.studies[0]
    assert told(replace(deployed, kept=replace(deployed.kept, studies=(study,))), "keda").endswith("at $125/h")
