from fleettui.reports.changes_text import changes_data, changes_markdown, changes_text
from fleettui.reports.input_changes import Change

RATE = Change(kind="question", name="rate", before="1/s", after="2/s")


def test_changes_are_listed_in_every_form() -> None:
    assert changes_text([RATE]) == "what changed:\n- rate: 1/s -> 2/s"
    assert changes_markdown([RATE]) == "what changed:\n\n- rate: 1/s -> 2/s"
    assert changes_data([RATE])[0] == {
        **{"kind": "question", "name": "rate", "before": "1/s", "after": "2/s"},
        **{"gpus": [], "text": "rate: 1/s -> 2/s"},
    }


def test_that_nothing_changed_is_said() -> None:
    assert changes_text([]) == changes_markdown([])
    assert changes_text([]).startswith("no input differs")
