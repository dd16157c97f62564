from collections.abc import Callable
from dataclasses import replace

import pytest

from fleettui.domain.scenario import Question
from fleettui.domain.workload import LengthDistribution, TimeSlice, Workload
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.planning.tasks.workload_slices import Case, cases_of, context_of, longest_allowed, within

SHORT = ((3.0, 100.0, 10.0), (1.0, 200.0, 50.0))
LONG = ((1.0, 1000.0, 100.0),)
Timed = Callable[..., Workload]
MARGINALS = LengthDistribution(
    kind="marginals", prompt_cdf=((100.0, 0.5), (1000.0, 1.0)), output_cdf=((10.0, 0.5), (500.0, 1.0))
)


def _marginals() -> Workload:
    return Workload(name="apart", slices=(TimeSlice(start=0.0, duration=0.0, rate=None, lengths=MARGINALS),))


def test_known_pairing_is_one_case(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, SHORT)))
    assert case.pairing == "joint"
    assert case.atoms == SHORT
    assert case.busiest == 2.0


def test_unknown_pairing_is_three_cases() -> None:
    assert [case.pairing for case in cases_of(_marginals())] == ["same order", "independent", "opposite order"]


def test_means_weigh_slices_by_their_requests(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 100.0, 9.0, SHORT), (100.0, 100.0, 1.0, LONG)))
    assert case.means() == pytest.approx((0.9 * 125 + 0.1 * 1000, 0.9 * 20 + 0.1 * 100))


def test_means_of_untimed_slices_weigh_by_counts(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 0.0, None, SHORT), (0.0, 0.0, None, LONG)))
    assert case.busiest is None
    assert case.means() == pytest.approx((0.8 * 125 + 0.2 * 1000, 0.8 * 20 + 0.2 * 100))


def test_the_busiest_slice_gets_the_rate_and_the_others_their_proportion(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, SHORT), (60.0, 60.0, 8.0, LONG)))
    assert case.at(100.0) == ((25.0, SHORT), (100.0, LONG))


def test_untimed_slices_each_get_the_whole_rate(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 0.0, None, SHORT), (0.0, 0.0, None, LONG)))
    assert case.at(7.0) == ((7.0, SHORT), (7.0, LONG))


def test_slices_of_different_kinds_are_refused(timed: Timed) -> None:
    mixed = replace(_marginals(), slices=_marginals().slices + timed((0.0, 60.0, 2.0, SHORT)).slices)
    with pytest.raises(InputError, match="different ways"):
        cases_of(mixed)


def test_requests_above_the_context_are_counted_and_refused(timed: Timed, question: Question) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, SHORT)))
    with pytest.raises(InputError, match=r"25\.00% of the requests are longer than the context of 200 tokens"):
        within(case, 200, question)


def test_requests_above_the_context_are_dropped_when_allowed(timed: Timed, question: Question) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, SHORT)))
    kept = within(case, 200, replace(question, drop_longer=True))
    assert kept.atoms == SHORT[:1]
    assert kept.dropped == pytest.approx(0.25)


def test_nothing_left_is_refused_even_then(timed: Timed, question: Question) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, LONG)))
    with pytest.raises(InputError, match=r"100\.00% of the requests"):
        within(case, 200, replace(question, drop_longer=True))


def test_a_slice_left_empty_goes(timed: Timed, question: Question) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, SHORT), (60.0, 60.0, 2.0, LONG)))
    kept = within(case, 500, replace(question, drop_longer=True))
    assert [part.atoms for part in kept.slices] == [SHORT]
    assert kept.dropped == pytest.approx(0.5)


def test_all_within_changes_nothing(timed: Timed, question: Question) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, SHORT)))
    assert within(case, 250, question) == case


def test_the_context_is_the_longest_request_rounded_up(timed: Timed, question: Question) -> None:
    workload = timed((0.0, 60.0, 2.0, SHORT))
    assert context_of(question, workload, cases_of(workload), 131_072) == 256
    workload = timed((0.0, 60.0, 2.0, LONG))
    assert context_of(question, workload, cases_of(workload), 131_072) == 1280
    assert context_of(question, workload, cases_of(workload), 1200) == 1200


def test_the_context_counts_the_longest_original_not_the_longest_mean(question: Question) -> None:
    from fleettui.workloads.library import load

    workload = load("azure-2023-conv")
    (case,) = cases_of(workload)
    total = workload.slices[0].lengths.total
    assert total is not None
    context = context_of(question, workload, [case], 131_072)
    assert total.maximum <= context < total.maximum + 256


def test_a_context_asked_for_is_taken(timed: Timed, question: Question) -> None:
    workload = timed((0.0, 60.0, 2.0, SHORT))
    assert context_of(replace(question, context=8192), workload, cases_of(workload), 8192) == 8192


def test_the_model_bounds_the_context(question: Question) -> None:
    model = catalog.model("qwen3-32b")
    assert longest_allowed(question, model) == model.context
    assert longest_allowed(replace(question, context=4096), model) == 4096
    with pytest.raises(InputError, match="made for less context"):
        longest_allowed(replace(question, context=model.context + 1), model)


def test_a_case_is_a_value(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, SHORT)))
    assert case == Case(pairing="joint", slices=case.slices)
