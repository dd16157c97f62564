import pytest

from fleettui.domain.demand import Demand
from fleettui.errors import Gathered, InputError, SeveralErrors
from fleettui.reports.question import joint_file
from fleettui.reports.question.conversion import Given

TWO = """\
name: spring
max-gpus: {h100: 64, a100: 40}
budget: 300/h
price: h100=2
model: qwen3-32b
rate: 5/s
drop-longer: true

workloads:
  - name: chat
    class: interactive
    workload: azure-2023-conv
    slo-ttft: 500ms
  - name: nightly
    class: batch
    workload: arxiv-summarization
    model: llama-3.1-70b
    tokens: 1B/day
    slo-e2e: 5min
    precision: 10%
"""

ONE_DEMAND = TWO.replace("    tokens: 1B/day\n", "")


def read(text: str, typed: dict[str, str] | None = None, own: dict[str, str] | None = None):
    options = {name: Given(value, f"--{name}") for name, value in (typed or {}).items()}
    settings = {name: Given(value, f"FLEETTUI_{name}") for name, value in (own or {}).items()}
    return joint_file.to_joint(joint_file.read(text, "q.yaml"), typed=options, own=settings)


def test_entries_take_what_stands_beside_them_and_limits_are_shared() -> None:
    found = read(TWO)
    chat, nightly = found.entries
    assert (found.name, found.objective, found.verify) == ("spring", "cost", True)
    assert found.limits.max_gpus == (("a100", 40), ("h100", 64))
    assert (found.limits.budget, found.limits.max_power, found.limits.whole_nodes) == (300.0, None, False)
    assert (chat.name, chat.service_class, nightly.service_class) == ("chat", "interactive", "batch")
    assert (chat.question.model, nightly.question.model) == ("qwen3-32b", "llama-3.1-70b")
    assert chat.question.demand == Demand(form="rate", rate=5.0)
    assert nightly.question.demand.form == "tokens"  # the entry's own form silences the shared rate
    assert (chat.question.slo.ttft, chat.question.slo.e2e) == (0.5, None)
    assert (nightly.question.slo.ttft, nightly.question.slo.e2e) == (None, 300.0)
    assert (chat.question.precision, nightly.question.precision) == (0.05, 0.1)
    for one in found.entries:
        assert one.question.prices == (("h100", 2.0),)
        assert one.question.name == f"spring/{one.name}"
        assert one.question.drop_longer
        assert one.question.max_gpus == ()  # not its own: all entries share them
        assert one.question.budget is None
        assert not one.question.shared_nodes  # nothing stands by


def test_spares_fill_nodes_where_workloads_share_so_many_of_them() -> None:
    failing = TWO.replace("    tokens: 1B/day\n", "    tokens: 1B/day\n    availability: 98%\n")
    assert [one.question.shared_nodes for one in read(failing).entries] == [False, True]


def test_options_win_over_the_file_and_settings_come_last() -> None:
    found = read(
        TWO,
        typed={"budget": "100/h", "verify": "false", "objective": "power", "name": "mine", "model": "llama-3.1-8b"},
        own={"model": "deepseek-v3", "max-utilization": "70%", "price": "h100=9"},
    )
    assert (found.name, found.limits.budget, found.objective, found.verify) == ("mine", 100.0, "power", False)
    for one in found.entries:
        assert one.question.model == "llama-3.1-8b"
        assert one.question.max_utilization == 0.7
        assert one.question.prices == (("h100", 2.0),)
        assert not one.question.verify


def test_without_a_name_it_is_called_as_its_file() -> None:
    text = TWO.replace("name: spring\n", "")
    found = joint_file.to_joint(joint_file.read(text, "some/where/five-models.yaml"), typed={}, own={})
    assert found.name == "five-models"


@pytest.mark.parametrize(
    ("text", "joint"), [(TWO, True), ("rate: 5/s\nworkload: azure-2023-conv\n", False), ("", False), ("- a\n", False)]
)
def test_a_list_of_workloads_tells_the_two_files_apart(text: str, joint: bool) -> None:
    assert joint_file.has_entries(text, "q.yaml") == joint


ENTRY = "  - name: chat\n    class: interactive\n    workload: azure-2023-conv\n    slo-ttft: 500ms\n"


@pytest.mark.parametrize(
    ("old", "new", "what", "where"),
    [
        ("slo-ttft", "slo-tfft", "unknown key", "q.yaml line 13"),
        ("budget", "bugdet", "unknown key", "q.yaml line 3"),
        ("name: nightly", "name: chat", "two workloads have one name", "q.yaml line 10, chat and q.yaml line 14, chat"),
        ("    workload: azure-2023-conv\n", "", "no workload is given", "q.yaml line 10, chat"),
        ("    slo-ttft: 500ms\n", "", "no service level objective is given", "q.yaml line 10, chat"),
        ("rate: 5/s\n", "workload: x\n", "this stands beside a list of workloads", "q.yaml line 6, workload"),
        ("  - name: chat\n    class", "  - class", "this workload has no name", "q.yaml line 10"),
        ("class: batch", "budget: 5/h", "this is shared by all workloads", "q.yaml line 15, budget"),
        ("class: batch", "class: [a, b]", "this is no class of service", "q.yaml line 15"),
        ("class: batch", "class: a\n    class: b", "this key stands twice", "q.yaml line 16"),
        ("500ms", "500", "", "q.yaml line 13, slo-ttft"),
        ("budget: 300/h", "budget: 300", "", "q.yaml line 3, budget"),
        ("price: h100=2", "preset: paper", "preset paper knows one workload at a time", "q.yaml line 4, preset"),
        (
            "price: h100=2",
            "objective: ttft",
            "several workloads together have no single latency",
            "q.yaml line 4, objective",
        ),
        (ENTRY, "  - chat\n", "this entry has no keys", "q.yaml line 10"),
    ],
)
def test_what_does_not_read_is_refused_with_its_line(old: str, new: str, what: str, where: str) -> None:
    assert old in TWO
    with pytest.raises(InputError) as refused:
        read(TWO.replace(old, new, 1))
    assert str(refused.value).startswith(f"{where}: {what}")
    assert len(str(refused.value).splitlines()) <= 3


@pytest.mark.parametrize("text", ["workloads: chat\n", "workloads: []\n", "workloads:\n", "workloads: {a: b}\n"])
def test_a_list_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"q\.yaml line 1: this is no list of workloads"):
        read(text)


def test_two_lists_are_refused() -> None:
    with pytest.raises(InputError, match=r"q\.yaml line 21: this key stands twice"):
        read(TWO + "workloads: []\n")


@pytest.mark.parametrize("name", ["workload", "prompt", "output"])
def test_a_workload_on_the_command_line_has_no_place_beside_a_list(name: str) -> None:
    with pytest.raises(InputError, match="the question file lists its workloads"):
        read(TWO, typed={name: "azure-2023-conv"})


@pytest.mark.parametrize("name", ["rate", "concurrency"])
def test_a_demand_on_the_command_line_does_not_take_the_place_of_each_workloads_own(name: str) -> None:
    """One of three rates was typed, and all three workloads had it."""
    assert {one.question.demand.rate for one in read(ONE_DEMAND, typed={"rate": "7/s"}).entries} == {7.0}
    with pytest.raises(InputError, match="workloads of the question file have a demand of their own") as refused:
        read(TWO, typed={name: "10/s"})
    assert str(refused.value).splitlines()[1:] == ["  do: leave it out, or change it in the file"]


BAD = """\
budget: ten
rate: 5
workloads:
  - name: chat
    workload: azure-2023-conv
    slo-tft: 1s
  - workload: azure-2023-conv
  - name: code
    tp: x
    max-power: 3kW
"""


def test_all_that_is_wrong_in_any_entry_is_told_at_once() -> None:
    errors = Gathered()
    texts = joint_file.read(BAD, "q.yaml", errors)
    with pytest.raises(SeveralErrors) as caught:
        joint_file.to_joint(texts, typed={}, own={}, errors=errors)
    assert [(error.where or "").removeprefix("q.yaml line ") for error in caught.value.found] == [
        "6",
        "7",
        "10, max-power",
        "1, budget",
        "2, rate",
        "9, tp",
    ]


def test_each_entry_that_lacks_something_is_named() -> None:
    with pytest.raises(SeveralErrors) as caught:
        read("workloads:\n  - {name: chat, rate: 1/s, slo-ttft: 1s}\n  - {name: code, workload: azure-2023-code}\n")
    assert [error.where for error in caught.value.found] == ["q.yaml line 2, chat", "q.yaml line 3, code"]


@pytest.mark.parametrize("asked", ["power-price: 0.12/kWh", "carbon: 300g/kWh"])
def test_what_only_a_workload_alone_answers_to_is_refused(asked: str) -> None:
    with pytest.raises(InputError, match=r"q\.yaml line 1.*a joint plan does not tell"):
        read(f"{asked}\n{TWO}")


@pytest.mark.parametrize(("name", "text"), [("power-price", "0.12/kWh"), ("carbon", "300g/kWh")])
def test_it_is_refused_on_the_command_line_too(name: str, text: str) -> None:
    with pytest.raises(InputError, match="a joint plan"):
        read(TWO, typed={name: text})


def test_all_are_planned_to_be_as_sure_as_the_file_or_the_command_line_wishes() -> None:
    """Found: confidence was refused, so nobody could ask for what a joint plan said of it."""
    assert [one.question.confidence for one in read(f"confidence: 80%\n{TWO}").entries] == [0.8, 0.8]
    assert [one.question.confidence for one in read(TWO, typed={"confidence": "90%"}).entries] == [0.9, 0.9]
