from dataclasses import replace

from fleettui.domain.demand import Demand
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.whatif import Outcome
from fleettui.hardware import catalog
from fleettui.planning.kept_inputs import FormulaInputs
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import kept_answer, plan
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.workloads import library

ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    pools=(1,),
)
WORKLOAD = library.load("azure-2023-conv")
PROFILES = profiles_of(ASKED, catalog.model(ASKED.model))


def answered(
    question: Question = ASKED, profiles: tuple[Profile, ...] = PROFILES, typed: tuple[str, ...] = ()
) -> Outcome:
    inputs = FormulaInputs(question=question, workload=WORKLOAD, fleet=None, profiles=profiles)
    return kept_answer.run(Context(), inputs=inputs, typed=typed)


def test_it_is_what_the_plan_came_to() -> None:
    assert answered() == Outcome.of(plan.run(Context(), question=ASKED).answer)


def test_kept_hardware_stands_before_the_catalogues_with_its_price() -> None:
    dear = tuple(replace(one, price_per_hour=5.0) for one in PROFILES)
    base, found = answered(), answered(profiles=dear)
    assert found.gpus == base.gpus
    assert found.cost == 5.0 * (base.gpus or 0)
    assert answered(profiles=dear, typed=("h100",)) == base
    named = replace(ASKED, prices=(("h100", 1.0),))
    assert answered(named, profiles=dear).cost == 1.0 * (base.gpus or 0)


def test_room_that_was_kept_for_other_numbers_of_sequences_is_worked_out_anew() -> None:
    """Qwen3.5 keeps a state for each sequence, so its blocks depend on how many there may be; Llama's do not."""
    asked = replace(ASKED, model="qwen3.5-397b-a17b", gpus=("b200",), dtype="fp8", slo=Slo(ttft=5.0))
    kept = profiles_of(asked, catalog.model(asked.model))
    more = replace(asked, max_num_seqs=1024)
    (found,) = kept_answer._serving(more, None, kept, ())
    assert (kept[0].sequences, found.sequences) == (256, 1024)
    assert found.kv_blocks < kept[0].kv_blocks
    assert kept_answer._serving(replace(ASKED, max_num_seqs=1024), None, PROFILES, ()) == PROFILES


def test_steps_by_another_law_than_was_kept_are_worked_out_anew() -> None:
    asked = replace(ASKED, engine_overhead=0.003, step_law="roofline")
    kept = profiles_of(asked, catalog.model(asked.model))
    other = replace(asked, step_law="kernels")
    assert kept_answer._serving(other, None, kept, ()) == profiles_of(other, catalog.model(other.model))
    assert answered(other, profiles=kept) == Outcome.of(plan.run(Context(), question=other).answer)


def test_what_was_not_kept_is_the_catalogues() -> None:
    assert answered(profiles=()) == answered()


def test_what_cannot_be_served_says_why() -> None:
    found = answered(replace(ASKED, context=256))
    assert (found.verdict, bool(found.limited_by)) == ("infeasible", True)
