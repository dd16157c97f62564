from dataclasses import replace
from typing import Any

from fleettui.domain.plan_inputs import PlanInputs
from fleettui.domain.slo import Slo
from fleettui.reports import input_changes
from tests.planning.simulated import question
from tests.store import samples

ASKED = question("short.jsonl")
PROFILE = samples.profile()


def texts(found) -> list[str]:
    return [change.text for change in found]


def test_keys_of_a_question_are_told_slos_first() -> None:
    other = replace(ASKED, slo=Slo(ttft=0.1), max_num_seqs=128, name="other", verify=False)
    assert texts(input_changes.of_question(ASKED, other)) == ["slo-ttft: 0.2s -> 0.1s", "max-num-seqs: 256 -> 128"]
    assert not texts(input_changes.of_question(ASKED, ASKED))


def test_a_trace_and_an_engine_are_told_by_their_digest_and_version() -> None:
    assert texts(input_changes.of_trace("a.csv", "0123456789", "9876543210")) == [
        "a.csv has other lengths or arrivals: digest 01234567 -> 98765432"
    ]
    assert texts(input_changes.of_engine(2, 3)) == ["engine: 2 -> 3"]
    assert not [*input_changes.of_trace("a.csv", "01", "01"), *input_changes.of_engine(3, 3)]


def test_between_two_plans_what_follows_from_another_question_is_not_told_again() -> None:
    old = samples.inputs("chat", "chat")["scenario"]
    new = replace(old, workload="ff" * 32, engine_version=old.engine_version + 1)
    dearer = replace(PROFILE, price_per_hour=4.0)
    told = texts(input_changes.between(old, new, [PROFILE], [dearer]))
    assert len(told) == 2, "a price that somebody typed is no change of the catalogue's"
    assert "other lengths or arrivals" in told[0]
    assert told[1].startswith("engine: ")
    elsewhere = replace(new, question=replace(old.question, workload="code", gpus=("h200",)))
    found = texts(input_changes.between(old, elsewhere, [PROFILE], [dearer]))
    assert not [text for text in found if "arrivals" in text or "catalogue" in text]
    assert {text.split(":")[0] for text in found} == {"workload", "gpu", "engine"}


def test_figures_that_another_step_law_makes_others_are_no_change_of_the_catalogue() -> None:
    old = samples.inputs("chat", "chat")["scenario"]
    old = replace(old, question=replace(old.question, prices=()))
    new = replace(old, question=replace(old.question, step_law="kernels"))
    timed = replace(PROFILE, kv_blocks=PROFILE.kv_blocks - 1, price_per_hour=PROFILE.price_per_hour + 1)
    found = texts(input_changes.between(old, new, [PROFILE], [timed]))
    assert [text.split(":")[0] for text in found] == ["step-law", f"the catalogue's price of {PROFILE.gpu.upper()}"]
    same = texts(input_changes.between(old, old, [PROFILE], [timed]))
    assert same[1] == f"the catalogue's figures of {PROFILE.gpu.upper()} are others"


def test_prices_are_told_unless_somebody_typed_them_and_other_figures_apart() -> None:
    gpu = PROFILE.gpu.upper()
    dear = replace(PROFILE, price_per_hour=PROFILE.price_per_hour + 1)
    (price,) = input_changes.of_hardware([PROFILE], [dear])
    assert (price.kind, price.name) == ("price", gpu)
    assert not texts(input_changes.of_hardware([PROFILE], [dear], [PROFILE.gpu]))
    slow = replace(PROFILE, kv_blocks=PROFILE.kv_blocks - 1)
    assert texts(input_changes.of_hardware([PROFILE], [slow])) == [f"the catalogue's figures of {gpu} are others"]
    assert not texts(input_changes.of_hardware([PROFILE], [replace(PROFILE, price_note="dated")]))
    new = replace(PROFILE, gpu="b300")
    assert texts(input_changes.of_hardware([PROFILE], [PROFILE, new])) == [
        "the catalogue's figures of B300: not searched -> searched"
    ]


def rests_on(price: float = 2.0, figures: str = "aa", **changes: Any) -> PlanInputs:
    """Return what a plan in a file rests on."""
    return PlanInputs(
        question=replace(question("chat"), gpus=("h100",), **changes),
        workload="cc",
        prices=(("h100", price),),
        figures=(("h100", figures),),
        formula=None,
        given=False,
        provenance=samples.provenance(),
    )


def test_of_two_plans_in_files_the_same_is_told_as_far_as_they_say_it() -> None:
    def between(new: PlanInputs, engines: tuple[int, int] = (7, 7)) -> list[str]:
        return texts(input_changes.between_inputs(rests_on(), new, engines))

    assert between(rests_on()) == []
    assert between(rests_on(slo=Slo(ttft=9.0)))[0].startswith("slo-ttft: ")
    assert between(replace(rests_on(), workload="dd")) == ["chat has other lengths or arrivals: digest cc -> dd"]
    told = between(rests_on(price=3.0, figures="bb"), (6, 7))
    assert told == [
        "the catalogue's price of H100: $2.00/h -> $3.00/h",
        "the catalogue's figures of H100 are others",
        "engine: 6 -> 7",
    ]
    assert between(rests_on(price=3.0, prices=(("h100", 3.0),))) == [
        "price: h100 $2.00/h catalogue -> h100 $3.00/h typed"
    ]
    other = replace(rests_on(), prices=(("h200", 3.0),), figures=(("h200", "aa"),))
    assert any("not searched" in one for one in between(other))
