from dataclasses import replace

import pytest

from fleettui.errors import InputError
from fleettui.planning.compare import beside_earlier, compare_plans, compare_studies, compared, spread_of
from store import Store
from tests.store import samples


def test_plans_are_read_with_what_their_answers_rest_on(store: Store) -> None:
    plan = samples.add(store).plan
    found = compared(store, plan.handle)
    assert found.answer.plan.id == plan.id
    assert found.question == store.question(plan.id)
    assert found.workload == store.scenario(plan.id).workload
    assert dict(found.prices)["h100"] == 2.99
    assert found.provenance == samples.provenance()


def test_the_first_is_the_baseline(store: Store) -> None:
    plans = [samples.add(store, samples.answer(1, name=f"size {number}")).plan for number in range(3)]
    found = compare_plans(store, [plans[2].handle, plans[0].handle])
    assert [plan.handle for plan in found.plans] == [plans[2].handle, plans[0].handle]


def test_an_earlier_fleet_that_fails_at_the_later_question_is_said_to(store: Store) -> None:
    """Found: two plans that cost the same were told apart without a word that the first one's fleet fails by now."""
    small, large = (samples.candidate(size) for size in (2, 3))
    fails = replace(small, evidence=samples.simulated("fail", ttft=0.9))
    plans = [replace(samples.answer(), answer=one[0], candidates=one) for one in ((small,), (large, fails))]
    earlier, later = (samples.add(store, one).plan.handle for one in plans)
    told = beside_earlier(store, earlier, later).sentences[-1]
    assert told.startswith("The fleet is now ")
    assert " fails" in told
    assert "The fleet is now" not in str(beside_earlier(store, later, earlier).sentences)
    assert "The fleet is now" not in str(compare_plans(store, [earlier, later]).sentences)


def test_one_plan_or_the_same_twice_is_refused(store: Store) -> None:
    handle = samples.add(store).plan.handle
    with pytest.raises(InputError, match="one plan is compared with nothing"):
        compare_plans(store, [handle])
    with pytest.raises(InputError, match="a plan is compared with itself") as refused:
        compare_plans(store, [handle, "last"])
    assert refused.value.value == "last"


def test_two_studies_are_compared_and_a_study_beside_a_plan_is_not(store: Store) -> None:
    plan = samples.add(store).plan.handle
    one, other = (store.add_study(samples.study()).handle for _ in range(2))
    found = compare_studies(store, [one, other])
    assert found is not None
    assert found.sentences == (f"{one} and {other} say the same",)
    assert compare_studies(store, [one, plan]) is None
    assert compare_studies(store, [plan, plan]) is None


def test_a_proven_plan_has_a_spread_and_one_by_formula_none(store: Store) -> None:
    proved = spread_of(store, compared(store, samples.prove(store).plan.id))
    assert proved is not None
    assert proved.points[-1][1] == pytest.approx(1.0)
    assert spread_of(store, compared(store, samples.add(store).plan.id)) is None


def test_a_note_is_read_with_the_plan(store: Store) -> None:
    plan = samples.add(store).plan.id
    store.set_note(plan, "for the freeze")
    assert compared(store, plan).note == "for the freeze"
