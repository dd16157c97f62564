"""What-if questions from the palette: asked in a line, answered by the command's use case, shown as a study."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fleettui.planning import whatif
from fleettui.reports.study_text import study_text
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.palette_commands import LOOKUPS
from tests.store import samples
from tests.tui.driving import driven, settle, text_of, until
from tests.tui.test_palette_commands import PAGE, answered, look_up

Make = Callable[..., FleetApp]


async def test_growth_with_a_lead_time_is_asked_for_and_its_study_shown(
    filled: Path, make_app: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    async def growth(store: object, plan: str, *, pool: object, **given: Any) -> object:
        asked.append(given)
        return samples.study(title=plan)

    monkeypatch.setattr(whatif, "growth", growth)
    app = make_app()
    async with driven(app) as pilot:
        plan = app.view.selected_plan()
        assert await look_up(pilot, "whatif", "growth 8%/month lead 4w") == study_text(samples.study(title=plan), PAGE)
        assert (asked[0]["per_month"], asked[0]["lead_days"]) == (0.08, 28.0)


async def test_a_line_that_does_not_read_is_refused_where_it_is_typed(filled: Path, make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.do(lambda: LOOKUPS["whatif"][1](app))
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        assert "growth 8%/month 12w   (growth and lead time" in text_of(app, "#prompt-help")
        await answered(pilot, "growth 8%/month 12")
        await until(pilot, lambda: text_of(app, "#prompt-help").startswith("x "))
        assert "lead time needs a unit" in text_of(app, "#prompt-help")
        await pilot.press("escape")
        await settle(pilot)
