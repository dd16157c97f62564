from dataclasses import replace

from fleettui.domain.hardware import Citation
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.report.assumptions import assumptions, origin
from fleettui.reports.report.model import Kept


def by_origin(kept: Kept) -> dict[str, str]:
    """Return what is told by origin, several rows of one joined."""
    found: dict[str, str] = {}
    for name, text in assumptions(kept).rows:
        found[name] = "; ".join(filter(None, (found.get(name), text)))
    return found


def test_every_key_of_the_question_has_an_origin(kept: Kept) -> None:
    found = by_origin(kept)
    other_demand = {key.name for key in BY_NAME.values() if key.demand not in ("", "users")}
    told = {part.split()[0] for name in ("typed", "at default") for part in found[name].split("; ")}
    unset = set(found["not set"].split(", "))
    assert told | unset == set(BY_NAME) - other_demand - {"name"}
    assert not told & unset


def test_typed_is_what_differs_from_the_default_and_all_else_is_only_said_to_be_at_it(kept: Kept) -> None:
    found = by_origin(kept)
    for part in ("workload chat", "users 20k", "slo-ttft 0.5s", "price h100=2.1", "seed 7"):
        assert part in found["typed"].split("; ")
    assert "model llama-3.1-70b" in found["at default"].split("; ")
    question = replace(kept.scenario.question, model="qwen3-32b")
    other = by_origin(replace(kept, scenario=replace(kept.scenario, question=question)))
    assert "model qwen3-32b" in other["typed"].split("; ")


def test_lengths_are_measured_unless_they_were_typed(kept: Kept) -> None:
    assert by_origin(kept)["measured"] == "lengths of chat; times as recorded; a trace — «conv»; CC-BY-4.0"
    typed = Question(prompt=((0.5, 900.0),), output=((0.5, 200.0),), slo=Slo(ttft=0.5))
    assert "measured" not in by_origin(replace(kept, scenario=replace(kept.scenario, question=typed)))


def test_the_catalogues_figures_are_cited_once(kept: Kept) -> None:
    cited = (
        Citation(field="gpu.bandwidth", source="data sheet"),
        Citation(field="gpu.power", source="data sheet"),
        Citation(field="model.config", source="config.json"),
    )
    profiles = tuple(replace(one, citations=cited) for one in kept.profiles)
    rows = [text for name, text in assumptions(replace(kept, profiles=profiles)).rows if name == "catalogue"]
    # the sample's replica of four GPUs: 1.34e13 B/s and 7.9e15 FLOP/s
    assert rows[0] == ("H100: $2.99/h a GPU (on demand); 3.35 TB/s, 1,975 TFLOP/s fp8; bandwidth, power: data sheet")
    assert rows[2:] == ["llama-3.1-70b and the engine: config: config.json"]


def test_a_typed_price_is_not_the_catalogues(kept: Kept) -> None:
    profiles = tuple(replace(one, price_note="given") for one in kept.profiles)
    assert "a GPU" not in by_origin(replace(kept, profiles=profiles))["catalogue"]


def test_the_foot_identifies_the_plan(kept: Kept) -> None:
    foot = dict(origin(kept))
    assert foot["plan"] == f"{kept.handle}, made 2026-03-01 12:00 UTC"
    assert kept.answer.plan.scenario.startswith(foot["scenario"])
    assert kept.scenario.workload.startswith(foot["workload"])
    assert (foot["engine"], foot["program"], foot["seed"]) == ("1", "fleettui 0.1.0", "7")


def test_the_way_to_every_source_is_that_of_the_same_replica(kept: Kept) -> None:
    (first, *_) = kept.profiles
    alike = "at default: left out, or typed with its default value"
    head = f"{alike}; every source: fleettui profile show {first.gpu} {first.model} --dtype {first.dtype}"
    assert assumptions(kept).note == f"{head} --tp {first.tp}"
    other = tuple(replace(one, kv_dtype="fp8", expert_parallel=True) for one in kept.profiles)
    assert assumptions(replace(kept, profiles=other)).note == f"{head} --kv-dtype fp8 --tp {first.tp} --expert-parallel"
    assert kept.answer.answer is not None
    (pool, *_) = kept.answer.answer.fleet.pools
    names = ("gpu", "model", "dtype", "kv_dtype", "tp", "expert_parallel", "pp", "attention_dp", "speculative")
    rented = replace(first, **{name: getattr(pool, name) for name in names})
    searched = replace(kept, profiles=(replace(rented, tp=2 * pool.tp), rented))
    assert f" --tp {pool.tp}" in assumptions(searched).note
