from datetime import date

import pytest

from fleettui.errors import InputError
from fleettui.planning import whatif
from fleettui.tui.actions.whatif import asked

TODAY = date(2026, 12, 1)


def test_a_line_names_its_question() -> None:
    assert asked("steps", TODAY) is whatif.step_table
    assert asked(" sensitivity ", TODAY) is whatif.sensitivity
    growth = asked("growth 8%/month", TODAY)
    assert growth.func is whatif.growth  # type: ignore[attr-defined]
    assert growth.keywords == {"per_month": 0.08, "lead_days": 84.0, "start": TODAY}  # type: ignore[attr-defined]
    sweep = asked("rate=50/s:400/s:8 gpu=h100,a100", TODAY)
    assert sweep.func is whatif.sweep  # type: ignore[attr-defined]
    assert sweep.keywords == {"texts": ("rate=50/s:400/s:8", "gpu=h100,a100")}  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["", "what", "steps 5", "growth", "growth 8%"])
def test_other_lines_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        asked(text, TODAY)
