"""What a kind of study need not say."""

import pytest

from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument
from fleettui.planning.studies.study_type import Command, StudyType
from tests.store import samples


async def _work(desk: object, plan: str) -> Study:
    raise NotImplementedError


def test_its_command_is_called_as_the_kind_is_and_its_help_is_a_sentence_and_a_title() -> None:
    study = StudyType(kind="idle", work=_work, command=Command(help="what is idle, by pool"))
    assert study.command is not None
    assert (study.command.name, study.command.sentence) == ("idle", "What is idle, by pool.")
    found = study.named(samples.study(title=""), "41a7", "spring", {})
    assert (found.kind, found.title, found.question) == ("idle", "spring: what is idle, by pool", "idle 41a7")


def test_a_flag_of_a_kind_with_a_command_of_its_own_is_a_value_like_any() -> None:
    """Where a command asks for several kinds, the first flag of each only says which is meant."""
    flag = Argument(name="each", form="flag", help="a row for each pool")
    alone = StudyType(kind="idle", work=_work, command=Command(help="what is idle"), arguments=(flag,))
    assert alone.values({"each": True})["each"] is True
    shared = StudyType(kind="each", work=_work, command=Command(help="what is idle", name="idle"), arguments=(flag,))
    assert "each" not in shared.values({"each": True})


@pytest.mark.parametrize("given", [{}, {"above": None}, {"above": ""}])
def test_what_is_needed_is_refused_where_it_is_not_given_however_it_is_asked(given: dict[str, str | None]) -> None:
    """Found: the command line asked for it, the app's line and Python went on without."""
    above = Argument(name="above", reads="span", example="2s", help="how long is too long", needed=True)
    study = StudyType(kind="idle", work=_work, command=Command(help="what is idle"), arguments=(above,))
    with pytest.raises(InputError, match="this is needed") as refused:
        study.values(given)
    assert "2s: how long is too long" in str(refused.value)
    assert study.values({"above": "3s"}) == {"above": 3.0}
