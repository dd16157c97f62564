"""The question while it is edited: it comes back as it was, contradictions give way, refusals change nothing."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.reports.question.keys import BY_NAME, DEMAND_FORMS
from fleettui.tui.question_draft import Draft
from tests.own_fits import FIT, forget, keep, values

ASKED = Question(workload="azure-2023-conv", demand=Demand(form="rate", rate=100.0), slo=Slo(ttft=0.5))
LENGTHS = ("workload", "prompt", "output")
LIMITS = ("slo-ttft", "slo-tpot", "slo-e2e")
FREE = tuple(name for name, key in BY_NAME.items() if not key.demand and name not in (*LENGTHS, *LIMITS))
TEXTS = {name: [one for one in (key.example, key.default) if one] for name, key in BY_NAME.items()}
FORMS: tuple[tuple[str, ...], ...] = (
    (),
    ("rate",),
    ("users", "requests-per-user"),
    ("users", "requests-per-user", "peak-factor"),
    ("tokens",),
    ("tokens", "peak-hour"),
    ("concurrency",),
    ("concurrency", "think"),
)


@st.composite
def questions(draw: st.DrawFn) -> Mapping[str, str]:
    """Return the texts of some question: any keys, one demand form, lengths in one way, some limit."""
    lengths = draw(st.sampled_from([("workload",), ("prompt", "output")]))
    limits = draw(st.sets(st.sampled_from(LIMITS), min_size=1))
    free = draw(st.sets(st.sampled_from(FREE)))
    free -= {"step-law", "engine-overhead"} if "profile" in free else set()  # a fit has them in it
    free -= {"step-law"} if free & {"prompt-steps", "graph-bins"} else set()  # the roofline has no such steps
    free -= {"expert-parallel"} if "parallel" in free else set()  # which searches it
    free -= {"gpu"} if "price-class" in free else set()  # not every GPU has its price
    free -= {"prices"}  # no such file is there
    free -= {"prefix-hit", "gamma"} if free & {"prefix-cache", "sessions"} else set()  # which say it
    free -= {"core-price"}  # of a compressor that was measured
    free -= {"length-error"}  # beside which much cannot stand
    form = draw(st.sampled_from(FORMS))
    free = _of_bounds(_of_failures(free), form)
    free -= {"pp", "attention-dp", "parallel", "step-law", "token-budget"} if "speculative" in free else set()
    free -= {"pp", "attention-dp", "parallel"} if "kv-offload" in free else set()
    free -= {"profile", "step-law"} if "expert-load" in free else set()
    divided = {"tp", "pp", "expert-parallel", "attention-dp", "parallel", "speculative", "kv-offload"}
    free -= divided if "layout" in free else set()  # which says it, and has lanes
    ranges = {"prompt-length", "output-length"}
    free -= ranges if free & {"prefix-cache", "sessions", "drop-longer"} else set()  # of lengths as recorded
    alone = {"confidence", "prefix-cache", "sessions"} | ranges  # another rate at other speeds; no order, no rounds
    free -= alone if "concurrency" in form else set()
    names = (*lengths, *form, *limits, *free)
    texts = {name: draw(st.sampled_from(TEXTS[name])) for name in names}
    if "sessions" in texts and texts.get("prefix-cache", "false") == "false":
        texts.pop("kv-offload", None)  # caches that are moved out are found by later rounds
    return texts


def _of_bounds(free: set[str], form: tuple[str, ...]) -> set[str]:
    """Return `free` without what goes with keys that are not there: who comes again was turned away or left."""
    bounds, again = {"queue-limit", "client-timeout"}, {"retries", "retry-backoff"}
    if "concurrency" in form:  # whose clients wait
        return free - bounds - again
    return free | again if free & bounds and free & again else free - again


def _of_failures(free: set[str]) -> set[str]:
    """Return the keys without what says failures in two ways, or says something of failures that nobody told."""
    if "availability-of" in free:  # GPUs that fail each for itself, told by their availability
        return (free | {"availability"}) - {"failures", "repair", "rack"}
    free = free - ({"availability"} if {"failures", "repair"} <= free else {"failures", "repair"})
    return free if free & {"availability", "failures"} else free - {"rack"}


@given(texts=questions())
def test_a_question_comes_back_as_it_was(texts: Mapping[str, str]) -> None:
    keep()
    typed = Draft().set(texts)
    question = typed.question()
    draft = Draft.of(question, parent="0199")
    assert draft.question() == question
    assert draft.changed == ()
    assert draft.parent == "0199"
    for name, text in texts.items():
        assert BY_NAME[name].read(draft.value(name), name) == BY_NAME[name].read(text, name)


@given(name=st.sampled_from(sorted(BY_NAME)), start=st.sampled_from(FORMS[1:]))
def test_a_changed_key_is_the_text_that_was_typed_and_the_draft_makes_sense(name: str, start: tuple[str, ...]) -> None:
    keep()
    draft = Draft().set({"workload": "azure-2023-conv", **{one: BY_NAME[one].example for one in start}})
    set_once = draft.set({name: f" {BY_NAME[name].example} "})
    assert set_once.texts[name] == set_once.value(name) == BY_NAME[name].example
    assert len({BY_NAME[one].demand for one in set_once.texts} - {""}) <= 1
    assert not {"workload", "prompt"} <= set_once.texts.keys()


def test_a_plans_own_fit_is_its_own_wherever_it_is_opened() -> None:
    """Nobody need keep the fit of a plan to ask its question again; another is looked for by its name."""
    asked = replace(ASKED, **values())
    draft = Draft.of(asked).set({"rate": "7/s"})
    assert draft.question() == replace(asked, demand=Demand(form="rate", rate=7.0))
    pool = PoolSketch(gpu="h100", model="llama-3.1-70b", dtype="fp8", tp=4, replicas=2)
    assert draft.question(FleetSketch(pools=(pool,))).fit == FIT
    with pytest.raises(InputError, match="profile: no fit is kept"):
        draft.set({"profile": "test"})
    keep(replace(FIT, name="test"))
    other = draft.set({"profile": "test"})
    assert other.question().fit == replace(FIT, name="test")
    assert other.set({"profile": ""}).question().fit is None
    assert other.set({"profile": ""}).changed == ("rate", "profile")
    forget(replace(FIT, name="test"))


@pytest.mark.parametrize("before", DEMAND_FORMS)
@pytest.mark.parametrize("after", DEMAND_FORMS)
def test_forms_of_demand_silence_each_other(before: str, after: str) -> None:
    draft = Draft().set({before: BY_NAME[before].example, "seed": "7"}).set({after: BY_NAME[after].example})
    assert {name for name in draft.texts if BY_NAME[name].demand} == {after}
    assert draft.value("seed") == "7"
    assert before == after or draft.value(before) == ""


def test_what_belongs_to_another_form_has_no_default() -> None:
    assert Draft.of(ASKED).value("peak-factor") == ""
    users = Draft.of(ASKED).set({"users": "20000", "requests-per-user": "6/h"})
    assert (users.value("peak-factor"), users.value("peak-hour"), users.value("rate")) == ("1", "", "")


def test_percentiles_replace_the_workload_and_the_reverse() -> None:
    lengths = Draft.of(ASKED).set({"prompt": "p50=900,p99=8k", "output": "p50=200,p99=1.5k"})
    assert lengths.question().workload is None
    back = lengths.set({"workload": "mooncake"})
    assert (back.question().workload, back.question().prompt) == ("mooncake", ())


def test_an_empty_text_takes_a_key_away() -> None:
    draft = Draft.of(ASKED).set({"budget": "60/h"})
    assert draft.changed == ("budget",)
    assert draft.set({"budget": " "}) == Draft.of(ASKED)
    assert Draft.of(ASKED).set({"rate": ""}).question().demand == Demand()


def test_the_default_said_aloud_is_no_change() -> None:
    assert Draft.of(ASKED).set({"max-utilization": "85%"}).changed == ()
    assert Draft.of(ASKED).set({"max-utilization": "80%"}).changed == ("max-utilization",)
    assert Draft.of(replace(ASKED, headroom=0.1)).set({"headroom": ""}).changed == ("headroom",)


@pytest.mark.parametrize("texts", [{"rate": "100"}, {"budget": "60/h", "slo-ttft": "fast"}, {"verify": "perhaps"}])
def test_a_text_that_does_not_read_changes_nothing(texts: dict[str, str]) -> None:
    draft = Draft.of(ASKED)
    with pytest.raises(InputError):
        draft.set(texts)
    assert draft == Draft.of(ASKED)


@pytest.mark.parametrize("change", [{"slo-ttft": ""}, {"workload": ""}, {"users": "20000"}, {"prompt": "p50=9,p99=90"}])
def test_a_draft_may_lack_something_and_then_it_is_no_question(change: dict[str, str]) -> None:
    draft = Draft.of(ASKED).set(change)
    with pytest.raises(InputError):
        draft.question()


def test_a_number_format_that_is_not_typed_is_the_published_one() -> None:
    draft = Draft().set({"model": "gpt-oss-120b"})
    assert draft.value("dtype") == "mxfp4"
    assert draft.changed == ("model",)
    assert draft.set({"dtype": "bf16"}).value("dtype") == "bf16"
