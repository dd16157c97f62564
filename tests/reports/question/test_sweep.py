from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.whatif import Axis
from fleettui.errors import InputError
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.question.sweep import read
from tests.own_fits import keep

BASE = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100", "a100"),
    prices=(("a100", 1.0),),
)


def one(text: str, question: Question = BASE) -> list[Question]:
    return [point.question for point in read([text], question).points]


def test_a_range_is_even_and_ends_where_it_says() -> None:
    sweep = read(["rate=50/s:400/s:8"], BASE)
    assert sweep.axes == (Axis(name="rate", quantity="rate", values=(50.0, 100.0, 150, 200, 250, 300, 350, 400.0)),)
    assert [point.question.demand.rate for point in sweep.points] == list(sweep.axes[0].values)
    assert all(replace(point.question, demand=BASE.demand) == BASE for point in sweep.points)


def test_the_plans_own_value_is_the_plans_own_question() -> None:
    for text in ("rate=50/s,100/s", "slo-ttft=200ms,500ms", "gpu=h100,h100+a100", "prompt-length=0.5,1"):
        point = read([text], BASE).points[1]
        assert (point.question, point.lengths) == (BASE, Lengths())


@pytest.mark.parametrize(
    ("text", "field", "values"),
    [
        ("slo-ttft=200ms:500ms:4", "slo.ttft", (0.2, 0.3, 0.4, 0.5)),
        ("slo_tpot=40ms,50ms", "slo.tpot", (0.04, 0.05)),
        ("prefix-hit=0%:50%:3", "prefix_hit", (0.0, 0.25, 0.5)),
        ("headroom=0%,10%", "headroom", (0.0, 0.1)),
        ("max-num-seqs=64:256:4", "max_num_seqs", (64, 128, 192, 256)),
        ("max-num-seqs=1:3:9", "max_num_seqs", (1, 2, 3)),
        ("gpu=h100,a100,l40s", "gpus", (("h100",), ("a100",), ("l40s",))),
        ("tp=1,2+4", "tp", ((1,), (2, 4))),
        ("pools=1,1+2", "pools", ((1,), (1, 2))),
        ("dtype=bf16,fp8", "dtype", ("bf16", "fp8")),
        ("gamma=1:2:3", "gamma", ((1.0, 1.0), (1.5, 1.5), (2.0, 2.0))),
        ("budget=60/h,1440/day", "budget", (60.0,)),
        ("price=h100=2:4:3", "prices", tuple((("a100", 1.0), ("h100", x)) for x in (2.0, 3.0, 4.0))),
        ("price=A100=3,4", "prices", ((("a100", 3.0),), (("a100", 4.0),))),
        ("max-gpus=h100=8,16", "max_gpus", ((("h100", 8),), (("h100", 16),))),
        ("whole-nodes=true,false", "whole_nodes", (True, False)),
    ],
)
def test_every_kind_of_key_lands_in_its_field(text: str, field: str, values: tuple[Any, ...]) -> None:
    if text == "budget=60/h,1440/day":  # the same twice
        with pytest.raises(InputError, match="twice"):
            one(text)
        return
    found = one(text)
    for question, value in zip(found, values, strict=True):
        holder = question.slo if "." in field else question
        assert getattr(holder, field.rpartition(".")[2]) == value


def test_a_unit_may_be_said_once() -> None:
    """Found: rate=11.5,12/s was refused beside --rate 11.5:12/s, which is read."""
    assert [point.question.demand.rate for point in read(["rate=11.5,12/s"], BASE).points] == [11.5, 12.0]
    assert [point.question.demand.rate for point in read(["rate=50:60/s:2"], BASE).points] == [50.0, 60.0]
    for text in ("slo-ttft=300,1s", "rate=11.5,12", "rate=11.5/s,12"):
        with pytest.raises(InputError, match="needs a unit"):
            read([text], BASE)


def test_another_form_of_demand_takes_the_place_of_the_plans() -> None:
    users = replace(BASE, demand=Demand(form="users", users=1e4, requests_per_user=0.001, peak_factor=2.0))
    assert [question.demand for question in one("rate=5/s,6/s", users)] == [
        Demand(form="rate", rate=5.0),
        Demand(form="rate", rate=6.0),
    ]
    assert [question.demand.peak_factor for question in one("peak-factor=1:3:3", users)] == [1.0, 2.0, 3.0]
    assert [question.demand.users for question in one("users=1000,2000", users)] == [1000, 2000]
    grid = read(["users=1000,2000", "peak-factor=1,2"], users).points
    assert [(point.question.demand.users, point.question.demand.peak_factor) for point in grid] == [
        (1000, 1.0),
        (1000, 2.0),
        (2000, 1.0),
        (2000, 2.0),
    ]
    with pytest.raises(InputError, match="two forms of demand"):
        read(["peak-factor=1,2", "rate=5/s,6/s"], users)


def test_lengths_are_factors_beside_the_question() -> None:
    sweep = read(["prompt-length=0.5:2:4", "output-length=1,2"], BASE)
    assert [(point.lengths.prompt, point.lengths.output) for point in sweep.points[:3]] == [
        (0.5, 1.0),
        (0.5, 2.0),
        (1.0, 1.0),
    ]
    assert {point.question for point in sweep.points} == {BASE}
    longer = replace(BASE, lengths=Lengths(prompt=1.25))  # whose workload is that much longer already
    assert [point.lengths for point in read(["prompt-length=1,1.25"], longer).points] == [
        Lengths(prompt=0.8),
        AS_RECORDED,
    ]
    assert read(["rate=5/s"], longer).points[0].lengths == AS_RECORDED


def test_several_make_a_grid() -> None:
    sweep = read(["rate=50/s:400/s:10", "slo-ttft=100ms:1s:10"], BASE)
    assert len(sweep.points) == 100
    assert len({point.values for point in sweep.points}) == 100
    assert sweep.points[11].question.demand.rate == sweep.axes[0].values[1]
    assert sweep.points[11].question.slo.ttft == sweep.axes[1].values[1]


@pytest.mark.parametrize(
    ("texts", "what"),
    [
        ([], "nothing is swept"),
        (["rate"], "no key=values"),
        (["rat=1/s,2/s"], "did you mean rate"),
        (["seed=1,2"], "unknown key to sweep"),
        (["rate=50:400:8"], "rate needs a unit"),
        (["rate=50/s:50/s:3"], "the range is empty"),
        (["rate=60/s:50/s:3"], "the range is empty"),
        (["rate=50/s:60/s"], "this is no range"),
        (["rate=50/s:60/s:1"], "no number of points"),
        (["rate=50/s:60/s:1000000"], "no number of points"),
        (["rate=50/s:60/s:x"], "no number of points"),
        (["rate="], "this is no rate"),
        (["rate=5/s,5/s"], "stands twice"),
        (["rate=" + "1/s," * 1_000_000 + "2/s"], "too many points"),
        (["rate=50/s:400/s:11", "slo-ttft=100ms:1s:10"], "too many points"),
        (["rate=5/s,6/s", "rate=7/s,8/s"], "swept twice"),
        (["price=2,3"], "the name is missing"),
        (["price=h100=x"], "this is no price"),
        (["gpu=h100:a100:3"], "this is no range"),
        (["gpu="], "the list is empty"),
        (["headroom=50%,120%"], "above 1"),
        (["peak-factor=1,2"], "goes with --users"),
        (["users=10,20"], "--sweep users: the plan does not say how often a user asks"),
        (["rate=5/s,6/s", "tokens=1e9/day,2e9/day"], "two forms of demand exclude each other"),
        (["concurrency=10,20", "rate=5/s,6/s"], "two forms of demand exclude each other"),
        (["context=auto,32Ki"], "--sweep context: this is no figure"),
        (["context=auto:32Ki:3"], "this is no figure"),
        (["token-budget=auto,2048"], "--sweep token-budget: this is no figure"),
        (["prompt-length=0"], "above zero"),
        (["tp=3,4"], "not among the numbers"),
    ],
)
def test_what_does_not_read_is_refused(texts: list[str], what: str) -> None:
    with pytest.raises(InputError, match=what) as refusal:
        read(texts, BASE)
    assert 1 <= len(str(refusal.value).splitlines()) <= 3


def test_a_cut_workload_has_no_other_context() -> None:
    with pytest.raises(InputError, match="was cut"):
        read(["context=8Ki,16Ki"], replace(BASE, drop_longer=True))
    assert [question.context for question in one("context=8Ki,16Ki")] == [8192, 16384]


def test_every_key_that_is_a_number_has_a_range() -> None:
    keep()
    texts = {name for name, key in BY_NAME.items() if key.quantity == "text"}
    assert not {name for name in texts if isinstance(_example(name), int | float)} - {"seed"}
    for key in BY_NAME.values():
        if key.is_swept and key.quantity != "text" and not key.form.several and not key.demand:
            low = high = key.example.partition(":")[2] or key.example
            with pytest.raises(InputError, match="the range is empty"):
                read([f"{key.name}={low}:{high}:3"], BASE)


def test_what_makes_another_question_is_not_swept() -> None:
    assert {key.name for key in BY_NAME.values() if not key.is_swept} == {
        *(
            "workload",
            "prompt",
            "output",
            "output-share",
            "drop-longer",
            "prompt-length",
            "output-length",
            "graph-bins",
            "architecture",
        ),
        *("host-power", "pue", "power-price", "carbon", "prices"),
        *("arrivals", "preset", "verify", "precision", "seed", "name"),
    }


def _example(name: str) -> object:
    key = BY_NAME[name]
    value = key.read(key.example, None)
    return "" if isinstance(value, bool) else value
