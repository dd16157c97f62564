from fleettui.planning.kept_studies import list_studies, studies_around
from store import Store
from tests.store import samples


def test_a_study_is_listed_with_its_plans_handle_and_shown() -> None:
    with Store.open() as store:
        plan = samples.add(store).plan
        own, lone = store.add_study(samples.study("last")), store.add_study(samples.study())
        assert list_studies(store) == ((lone, ""), (own, plan.handle))
        assert list_studies(store, "last") == ((own, plan.handle),)
        assert list_studies(store, "") == ((lone, ""),)
        assert list_studies(store, None, 1, 1) == ((own, plan.handle),)
        assert [store.count_studies(of) for of in (None, "last", "")] == [2, 1, 1]


def test_the_studies_around_a_plan_are_its_own_first_then_those_of_none_then_of_others() -> None:
    with Store.open() as store:
        plan, other = samples.add(store).plan, samples.add(store).plan
        old, lone = store.add_study(samples.study(plan.id)), store.add_study(samples.study())
        foreign, new = store.add_study(samples.study(other.id)), store.add_study(samples.study(plan.id))
        found = [one for one, _ in studies_around(store, plan.id, 9)]
        assert found == [new, old, lone, foreign]
        assert [one for one, _ in studies_around(store, "", 9)] == [lone, new, foreign, old]
        assert [one for one, _ in studies_around(store, plan.id, 1)] == [new, lone]
