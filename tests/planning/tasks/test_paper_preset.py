from collections.abc import Callable
from dataclasses import replace

import pytest

from fleettui.domain.hardware import StepCost
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.workload import Workload
from fleettui.errors import InputError, UnknownNameError
from fleettui.planning.tasks.paper_preset import answer_as_in_the_papers, as_in_the_papers, paper_gpus, paper_profiles
from fleettui.planning.tasks.workload_slices import cases_of
from fleettui.workloads.library import load

ATOMS = ((1.0, 100.0, 20.0),)
Timed = Callable[..., Workload]


@pytest.fixture
def asked(question: Question) -> Question:
    return replace(question, preset="paper", workload="azure-paper", gpus=(), tp=())


def test_what_the_papers_take_for_granted(asked: Question) -> None:
    found = as_in_the_papers(asked)
    assert found.context == 65_536
    assert found.gpus == ("a100", "a10g", "h100")


def test_a_context_given_is_kept(asked: Question) -> None:
    assert as_in_the_papers(replace(asked, context=8192)).context == 8192


def test_what_their_method_cannot_answer_is_refused(asked: Question) -> None:
    for other in (
        replace(asked, model="qwen3-32b"),
        replace(asked, tp=(8,)),
        replace(asked, slo=Slo(tpot=0.05)),
        replace(asked, slo=Slo(ttft=0.5, e2e=9.0)),
        replace(asked, slo=Slo(ttft=0.5, percentile=0.9)),
    ):
        with pytest.raises(InputError, match="preset paper"):
            as_in_the_papers(other)


def test_time_slices_are_refused(asked: Question, timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 1.0, ATOMS), (60.0, 60.0, 1.0, ATOMS)))
    with pytest.raises(InputError, match="no time slices"):
        answer_as_in_the_papers(as_in_the_papers(asked), case, 1.0)


def test_a_gpu_the_papers_do_not_have_is_refused(asked: Question) -> None:
    with pytest.raises(UnknownNameError, match="a100"):
        paper_gpus(as_in_the_papers(replace(asked, gpus=("b200",))))


def test_a_price_given_replaces_the_papers(asked: Question) -> None:
    (theirs,) = paper_gpus(as_in_the_papers(replace(asked, gpus=("a100",))))
    (given,) = paper_gpus(as_in_the_papers(replace(asked, gpus=("a100",), prices=(("a100", 1.0),))))
    assert (theirs[0].price_per_hour, given[0].price_per_hour) == (2.21, 1.0)


def test_the_profile_kept_has_the_papers_step(asked: Question) -> None:
    (profile,) = paper_profiles(as_in_the_papers(replace(asked, gpus=("a100",))))
    assert isinstance(profile.step, StepCost)
    assert profile.step.overhead == pytest.approx(0.008)
    assert profile.step.context_time * 8192 == pytest.approx(0.00065)
    assert profile.step.linear_time == 0.0


def test_azure_on_one_pool_of_a100_is_the_published_fleet(asked: Question) -> None:
    (case,) = cases_of(load("azure-paper"))
    question = as_in_the_papers(replace(asked, gpus=("a100",), pools=(1,)))
    answer = answer_as_in_the_papers(question, case, 1000.0)
    assert answer.answer is not None
    assert answer.answer.gpus == 284


def test_compression_is_searched_as_in_the_papers(asked: Question) -> None:
    """FleetOpt's Table 3: at a gamma of 2 the long pool shrinks from 131 GPUs to 2; the search finds that itself."""
    (case,) = cases_of(load("azure-paper"))
    question = as_in_the_papers(replace(asked, gpus=("a100",), pools=(1, 2), splits=(4096,), gamma=(1.0, 2.0)))
    answer = answer_as_in_the_papers(question, case, 1000.0)
    assert answer.answer is not None
    assert [pool.replicas for pool in answer.answer.fleet.pools] == [48, 2]
    assert answer.answer.fleet.gamma == 2.0
    assert any("is left out" in warning for warning in answer.warnings)
