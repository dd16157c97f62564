import pytest

from fleettui.domain.progress import Progress
from fleettui.errors import Interrupted
from fleettui.planning.task_context import Context


def test_alone_it_reports_to_nobody_and_goes_on() -> None:
    Context().progress("reading", 1, 2)


def test_progress_is_reported() -> None:
    seen: list[Progress] = []
    Context(report=seen.append).progress("reading", 1, 2)
    assert seen == [Progress(message="reading", done=1, total=2)]


def test_a_cancelled_task_stops_at_its_next_report() -> None:
    seen: list[Progress] = []
    with pytest.raises(Interrupted):
        Context(report=seen.append, cancelled=lambda: True).progress("reading")
    assert seen == []
