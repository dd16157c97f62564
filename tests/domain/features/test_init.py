"""What a question says of runtime features, and that each has its field."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.features import FEATURES, Features
from fleettui.domain.features.feature import Feature
from fleettui.domain.left_to_search import left_to_search
from fleettui.domain.serialization import dumps, to_plain
from fleettui.errors import InputError
from fleettui.planning.scheduler_checks import check_scheduler
from fleettui.planning.settings_tried import combinations, searched
from fleettui.planning.tasks.paper_preset import as_in_the_papers
from fleettui.reports.handoff.model import Subject
from fleettui.reports.handoff.not_set import not_set
from fleettui.reports.question.keys import BY_NAME
from fleettui.scheduling import SCHEDULERS
from tests.planning.simulated import SHIPPED
from tests.planning.tasks.test_input_warnings import ROOM
from tests.reports.handoff.plans import kept


def test_every_feature_has_its_field_and_nothing_else_has() -> None:
    assert set(Features.__dataclass_fields__) == {one.field for one in FEATURES}
    assert (dumps(Features()), list(Features().said())) == ("{}", [])


@pytest.mark.parametrize("feature", list(FEATURES), ids=lambda one: one.name)
def test_a_feature_reads_what_it_writes_and_refuses_the_rest(feature: Feature) -> None:
    for text in (feature.example, *feature.tried):
        assert feature.read(feature.written(text, None), None) == feature.written(text, None)
        said = Features(**{feature.field: text})
        assert (to_plain(said), list(said.said())) == ({feature.field: text}, [(feature, text)])
    with pytest.raises(InputError):
        feature.read("nonsense", None)
    with pytest.raises(InputError, match="not as it is written"):
        Features(**{feature.field: f" {feature.example}"})


@pytest.mark.parametrize("feature", list(FEATURES), ids=lambda one: one.name)
def test_a_feature_is_known_wherever_features_are(feature: Feature) -> None:
    assert BY_NAME[feature.name].read(feature.example, None) == feature.example
    asked = replace(SHIPPED, features=Features(**{feature.field: feature.example}))
    told = not_set(Subject.of(kept(features=asked.features)))
    assert f"in the plan {feature.example} {feature.unset}: not written here for vllm" in told
    assert len(feature.gains) <= ROOM
    with pytest.raises(InputError, match="preset paper does not have this option") as caught:
        as_in_the_papers(replace(asked, tp=()))
    assert caught.value.where == feature.option
    for reserving in (one for one in SCHEDULERS if one.reserves and feature.of_blocks):
        with pytest.raises(InputError, match="preempts and drops nothing"):
            check_scheduler(asked, reserving.name)


@pytest.mark.parametrize("feature", [one for one in FEATURES if one.tried], ids=lambda one: one.name)
def test_a_feature_that_is_left_to_the_search_is_tried_beside_none(feature: Feature) -> None:
    asked = replace(SHIPPED, features=Features(**{feature.field: SEARCHED}))
    assert left_to_search(asked) == {feature.option: SEARCHED}
    (setting,) = searched(asked)
    every = combinations(asked, (setting,))
    assert [setting.value(one) for one in every] == ["", *feature.tried]
    assert [setting.name(one) for one in every] == ["none", *feature.tried]
    assert len({setting.kind(one) for one in every}) == 1
