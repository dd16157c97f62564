"""Outputs that the router guesses, and typed ranges: what may not stand beside them, and what they leave as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_plain
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import TypedRange
from fleettui.errors import InputError


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({"demand": Demand(form="concurrency", concurrency=8)}, "--concurrency"),
        ({"sessions": True}, "--sessions"),
        ({"prefix_cache": True}, "--prefix-cache"),
        ({"prefix_hit": 0.4}, "--prefix-hit"),
        ({"gamma": (1.0, 1.5)}, "--gamma"),
        ({"bounds": Bounds(queue=3)}, "--queue-limit"),
    ],
)
def test_what_does_not_go_with_guessed_lengths_is_refused(said: dict[str, Any], where: str) -> None:
    with pytest.raises(InputError, match="the router guesses lengths") as refusal:
        Question(slo=Slo(ttft=0.5), length_error=0.4, **said)
    assert where in str(refusal.value)
    assert "or --length-error" in str(refusal.value)
    Question(slo=Slo(ttft=0.5), **said)


def test_a_question_whose_router_knows_outputs_has_the_digest_that_it_had() -> None:
    asked = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5))
    assert digest(asked) == digest(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), length_error=None))
    assert digest(asked) != digest(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), length_error=0.4))


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"demand": Demand(form="concurrency", concurrency=8)}, "nobody tells how sure a closed loop's fleet is"),
        ({"preset": "paper"}, "the papers' preset sizes for one value"),
    ],
)
def test_a_range_is_refused_where_nobody_can_tell_how_sure_a_fleet_is(said: dict[str, Any], what: str) -> None:
    hit = TypedRange(key="prefix-hit", low=0.2, high=0.6)
    with pytest.raises(InputError, match=what) as refusal:
        Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), prefix_hit=hit.middle, ranges=(hit,), **said)
    assert "say one value of --prefix-hit" in str(refusal.value)


KERNELS: dict[str, Any] = {"step_law": "kernels"}


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"step_law": "roofline"}, "the roofline's line does not time steps that verify drafts"),
        (KERNELS | {"pp": (1, 2)}, "drafts are not modelled with --pp"),
        (KERNELS | {"attention_dp": True}, "drafts are not modelled with --attention-dp"),
        (KERNELS | {"parallel": "all"}, "drafts are not modelled with --parallel all"),
        (KERNELS | {"token_budget": 3}, "no sequence finds its drafts"),
        (KERNELS | {"speculative": "mtp:3@170%"}, "acceptance is out of range"),
    ],
)
def test_what_drafts_do_not_go_with_is_refused(said: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        Question(slo=Slo(ttft=0.5), **{"speculative": "mtp:3@70%", **said})
    Question(slo=Slo(ttft=0.5), **{**said, "speculative": ""})


def test_a_padded_step_needs_kernels() -> None:
    with pytest.raises(InputError, match="does not know what a padded step takes"):
        Question(slo=Slo(ttft=0.5), graph_bins="engine", step_law="roofline")


def test_a_question_without_drafts_and_bins_has_the_digest_that_it_had() -> None:
    asked = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), step_law="kernels")
    assert {"speculative", "graph_bins"}.isdisjoint(to_plain(asked))
    said = (replace(asked, speculative="mtp:1@70%"), replace(asked, graph_bins="engine"))
    assert len({digest(asked), *map(digest, said)}) == 3


def test_a_question_without_ranges_has_the_digest_that_it_had() -> None:
    asked = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5))
    assert digest(asked) == digest(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), ranges=()))
    assert "ranges" not in to_plain(asked)
