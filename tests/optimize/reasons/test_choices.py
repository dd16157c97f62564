"""Each choice is tried as it is said, and the context that is named is the longest that works."""

from dataclasses import replace

from fleettui.domain.plan import Answer
from fleettui.domain.remedy import USUAL_GPUS
from fleettui.domain.scenario import Question
from fleettui.optimize.reasons.choices import CONTEXT_STEP, changes, sentences, usual_gpus
from fleettui.optimize.reasons.inputs import Ground
from tests.optimize.reasons.grounds import ground
from tests.optimize.samples import atoms, plan, profile, question

LENGTHS = atoms(5, 200)
WIDE = profile("fast", tp=4, speed=2.0)


def dropping(asked: Question, *profiles) -> Ground:
    """Return a ground in which a shorter context leaves out the requests above it."""
    base = ground(asked, 45.0, LENGTHS, profiles)

    def find(question: Question) -> Answer:
        most = question.context or 1 << 20
        kept = tuple(atom for atom in LENGTHS if atom[1] + atom[2] <= most)
        if len(kept) < len(LENGTHS):
            assert question.drop_longer
        own = [one for one in profiles if not question.tp or one.tp in question.tp]
        return plan(question, 45.0, kept, own)

    def drop(question: Question) -> float:
        most = question.context or 1 << 20
        total = sum(atom[0] for atom in LENGTHS)
        return sum(atom[0] for atom in LENGTHS if atom[1] + atom[2] > most) / total

    return replace(base, find=find, kept=find(asked), drop=drop)


def test_a_free_choice_of_parallelism_is_tried() -> None:
    asked = question(ttft=0.09, tp=(2,), pools=(1,))
    base = dropping(asked, profile("fast"), WIDE)
    assert base.kept.answer is None
    found = {one.option: one for one in changes(base, 16_384)}
    free = found["--tp auto"]
    assert free.question.tp == ()
    assert (base.best(free.question) is None) == (free.candidate is None)
    assert "--dtype fp8" in found
    assert USUAL_GPUS not in found


def test_the_longest_context_that_works_is_named() -> None:
    asked = question(ttft=2.0, pools=(1,))
    base = dropping(asked, profile("fast", blocks=200))
    assert base.kept.answer is None
    shorter = changes(base, 16_384)[-1]
    assert shorter.question.context is not None
    assert base.best(shorter.question) is not None
    longer = replace(shorter.question, context=shorter.question.context + CONTEXT_STEP)
    assert base.best(longer) is None
    assert (
        f"--context {shorter.question.context} --drop-longer instead of context 16384, which leaves out "
        f"{base.drop(shorter.question):.2%} of the requests, alone would do"
    ) in sentences([shorter])[0]


def test_a_context_that_leaves_out_too_many_is_not_offered() -> None:
    base = dropping(question(ttft=2.0, pools=(1,)), profile("fast", blocks=20))
    assert base.kept.answer is None
    assert base.best(replace(base.question, context=256, drop_longer=True)) is not None, "it would do"
    assert not any("--context" in one.option for one in changes(base, 16_384))


def test_what_does_not_help_says_so() -> None:
    base = dropping(question(ttft=0.001, pools=(1,)), profile("fast"))
    found = changes(base, 16_384)
    assert all(one.candidate is None for one in found)
    assert sentences(found) == (
        "--dtype fp8 instead of --dtype bf16 alone does not help",
        "--kv-dtype fp8 instead of --kv-dtype engine alone does not help",
    )
    small = dropping(replace(base.question, dtype="fp8", kv_dtype="fp8"), profile("fast"))
    assert changes(small, 16_384) == ()


def test_the_usual_gpus_are_told_in_plain_words() -> None:
    """Found: "no --gpu, the usual ones instead of --gpu l40s alone would do"."""
    usual = usual_gpus(question(gpus=("l40s", "a10g")))
    assert usual is not None
    named = "without --gpu (the usual ones instead of l40s,a10g alone)"
    assert sentences([usual]) == (f"{named} no fleet would do either, by formula, as the engine is set",)
    base = dropping(question(ttft=0.5, pools=(1,)), profile("fast"))
    (told,) = sentences([replace(usual, candidate=base.kept.answer)])
    assert told.startswith(f"{named} a fleet would do, by formula: FAST ")


def test_an_admission_that_reserves_may_be_given_up() -> None:
    base = dropping(question(ttft=0.2, admission="reserved", pools=(1,)), profile("fast", blocks=2000))
    found = {one.option: one for one in changes(base, 16_384)}
    assert found["--admission paged"].question.admission == "paged"
    assert "instead of --admission reserved" in sentences([found["--admission paged"]])[0]


def test_a_shorter_context_leaves_as_many_pools_as_its_splits_make() -> None:
    lengths = [(0.95, 300.0, 50.0), (0.02, 900.0, 100.0), (0.03, 12_000.0, 50.0)]
    asked = question(ttft=0.3, pools=(1, 3), splits=(400, 8000))
    base = ground(asked, 20.0, tuple(lengths), [profile("fast")])
    assert base.kept.answer is None
    tried = []

    def find(one: Question) -> Answer:
        tried.append((one.splits, one.pools))
        kept = tuple(atom for atom in lengths if atom[1] + atom[2] <= (one.context or 1 << 20))
        return plan(one, 20.0, kept, [profile("fast")])

    def drop(one: Question) -> float:
        return sum(atom[0] for atom in lengths if atom[1] + atom[2] > (one.context or 1 << 20))

    found = changes(replace(base, find=find, drop=drop), 16_384)
    assert found[-1].candidate is not None
    assert ((400,), (1, 2)) in tried
