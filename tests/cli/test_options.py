import inspect

import pytest

from fleettui.cli.options import texts, with_question_options
from fleettui.cli.plan import plan
from fleettui.reports.question.conversion import Given
from fleettui.reports.question.key import Key
from fleettui.reports.question.keys import KEYS


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_plan_has_an_option_for_every_key(key: Key) -> None:
    parameters = inspect.signature(plan).parameters
    assert parameters[key.name.replace("-", "_")].annotation.__metadata__[0].default.split("/")[0] == key.option


def test_what_was_typed_keeps_its_option() -> None:
    typed = {"slo_ttft": "500ms", "drop_longer": True, "rate": None, "workload": "x"}
    assert texts(typed) == {
        "slo-ttft": Given("500ms", "--slo-ttft"),
        "drop-longer": Given("true", "--drop-longer"),
        "workload": Given("x", "WORKLOAD"),
    }
    assert texts({"verify": False}) == {"verify": Given("false", "--no-verify")}


def test_the_commands_own_options_stay() -> None:
    @with_question_options()
    def command(workload: str | None = None, *, flag: bool = False, **typed: object) -> None:
        """Do nothing."""

    names = list(inspect.signature(command).parameters)
    assert (names[0], names[1], names[-1]) == ("workload", KEYS[0].name, "flag")


def test_a_command_may_take_some_of_the_keys() -> None:
    @with_question_options(KEYS[:2])
    def command(**typed: object) -> None:
        """Do nothing."""

    assert list(inspect.signature(command).parameters) == [KEYS[0].name, KEYS[1].name]
