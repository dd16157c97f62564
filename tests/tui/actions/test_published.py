"""A published table from the palette: asked for by name, shown as the command prints it, kept; a wrong name is told."""

from fleettui.planning import studies
from fleettui.reports.study_text import study_text
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.palette_commands import LOOKUPS
from tests.tui.driving import driven, told, until
from tests.tui.test_palette_commands import PAGE, answered, look_up


async def test_a_table_is_shown_as_the_command_prints_it_and_kept(app: FleetApp) -> None:
    async with driven(app) as pilot:
        text = await look_up(pilot, "published", "ifs eq 6")
        store = await app.desk.engine.store()
        (kept, _), *_more = studies.list_studies(store)
        assert text == study_text(kept, PAGE)
        assert "A, repaired in 48 h" in text


async def test_an_unknown_table_is_told(app: FleetApp) -> None:
    async with driven(app) as pilot:
        app.do(lambda: LOOKUPS["published"][1](app))
        await answered(pilot, "FO T9")
        await until(pilot, lambda: any("unknown published table" in one for one in told(app)))
        assert not isinstance(app.screen, (Prompt, Page))
