"""What a kind of study need not say."""

from fleettui.domain.study import Study
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
