from fleettui.domain.digest import digest
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import ENGINE_VERSION
from tests.store import samples


def test_the_scenario_names_the_inputs_that_come_with_it() -> None:
    workload, profiles = samples.workload(), (samples.profile("h100"), samples.profile("a100"))
    answer = samples.answer()
    new = NewPlan.of(samples.question(), answer, workload=workload, profiles=profiles, provenance=samples.provenance())
    assert (new.scenario.workload, new.scenario.profiles) == (digest(workload), tuple(map(digest, profiles)))
    assert (new.scenario.rate, new.scenario.engine_version) == (answer.demand.rate, ENGINE_VERSION)
