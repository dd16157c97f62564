import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import Demand
from fleettui.domain.features import Features
from fleettui.domain.length_factors import Lengths
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.reports.question.key import Key
from fleettui.reports.question.keys import BY_NAME, DEMAND_FORMS, FIXED_FLEET_KEYS, KEYS, key_named
from tests.own_fits import keep


def test_names_and_fields_are_unique() -> None:
    assert len({key.name for key in KEYS}) == len(KEYS)
    assert len({key.field for key in BY_NAME.values()}) == len(BY_NAME)


@pytest.mark.parametrize("key", BY_NAME.values(), ids=lambda key: key.name)
def test_every_example_and_default_reads_and_helps(key: Key) -> None:
    keep()
    for text in filter(None, (key.example, key.default)):
        value = key.read(text, key.option)
        assert key.read(key.write(value), None) == value
    assert 10 < len(key.help) < 80


def test_every_field_of_a_question_has_a_key() -> None:
    others = (
        "demand",
        "slo",
        "record",
        "prefixes",
        "rounds",
        "shared_nodes",
        "compressor",
        "bounds",
        "features",
        "ranges",
        "lengths",
    )  # never typed: a record, prefixes; the compressor's study is, as compressible, and ranges by their keys
    fields = {name for name in Question.__dataclass_fields__ if name not in others}
    fields |= {f"demand.{name}" for name in Demand.__dataclass_fields__ if name != "form"}
    fields |= {f"slo.{name}" for name in Slo.__dataclass_fields__}
    fields |= {f"lengths.{name}" for name in Lengths.__dataclass_fields__}
    fields |= {f"bounds.{name}" for name in Bounds.__dataclass_fields__}
    fields |= {f"features.{name}" for name in Features.__dataclass_fields__}
    assert fields == {key.field for key in BY_NAME.values()}


def test_a_given_fleet_is_asked_for_no_other() -> None:
    names = {key.name for key in FIXED_FLEET_KEYS}
    assert names >= {"rate", "prompt", "slo-ttft", "prefix-hit", "drop-longer", "seed", "precision", "name"}
    assert not names & {"gpu", "tp", "model", "dtype", "pools", "split", "budget", "verify", "preset"}


def test_each_demand_form_has_its_head() -> None:
    assert {key.demand for key in KEYS if key.demand} == set(DEMAND_FORMS)
    assert set(DEMAND_FORMS) <= BY_NAME.keys()


def test_dashes_and_underscores_are_the_same() -> None:
    assert key_named("slo_ttft") is key_named("slo-ttft")


def test_an_unknown_key_is_told_with_the_nearest_in_two_lines() -> None:
    with pytest.raises(InputError) as caught:
        key_named("slo-tft", "q.yaml line 3")
    message = str(caught.value)
    assert message.startswith("q.yaml line 3: unknown key (got 'slo-tft')")
    assert message.splitlines()[1:] == ["  did you mean slo-ttft? (fleettui plan --write-question shows them)"]
    with pytest.raises(InputError, match="--write-question"):
        key_named("zzzzzz")


@pytest.mark.parametrize(("said", "study"), [("apart", "fleettui disagg last"), (" AFD", "fleettui frontier last")])
def test_an_architecture_that_no_plan_has_is_refused_with_the_study_of_it(said: str, study: str) -> None:
    with pytest.raises(InputError, match="no pools of one role") as caught:
        BY_NAME["architecture"].read(said, None)
    assert caught.value.accepted == "together, auto"
    assert (caught.value.remedy or "").endswith(study)
