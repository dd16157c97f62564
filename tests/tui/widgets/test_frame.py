"""The three lines that are always there, at every width, and the widget that draws them."""

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from fleettui.tui import keys
from fleettui.tui.tabs import SPAN, VIEWS, Entry, named
from fleettui.tui.widgets.frame import Line, bar, header, words

WIDTHS = [200, 120, 80, 79, 78, 60, 40, 20, 10]


def bold(content: Content) -> list[str]:
    return [content.plain[span.start : span.end] for span in content.spans if "bold" in str(span.style)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_the_bar_fits_and_names_the_view_in_brackets(view: Entry, width: int) -> None:
    found = bar(view.name, width)
    assert len(found.plain) <= width
    assert f"[{view.number} " in found.plain
    whole = found.plain.count("[") == found.plain.count("]") == 1
    assert whole
    assert view.title in found.plain or view.short in found.plain or width < 20


@pytest.mark.parametrize("width", [80, 120])
def test_at_80_columns_every_view_is_seen_and_keeps_its_place(width: int) -> None:
    bars = [bar(view.name, width).plain for view in VIEWS]
    whole = all(f"{view.number} {view.short[0]}" in bars[0] for view in VIEWS)
    assert whole, "the bar has no room: give entries a shorter `short`, and let the views of one plan stand together"
    assert len({text.translate(str.maketrans("[]", "  ")).rstrip() for text in bars}) == 1


def test_names_are_shorter_where_the_line_is_short_and_left_out_where_it_is_shorter() -> None:
    whole, plans = bar("routing", 400).plain, named("plans").number
    assert whole.startswith(" 1 Workload  2 Fleet [3 Routing] 4 Disagg  5 Power ")
    assert f" | {plans} Plans  {plans + 1} Compare " in whole
    short = bar("routing", len(whole) - 1).plain
    assert short.startswith(" 1 Work  2 Fleet [3 Route] 4 Disagg  5 Power ")
    assert f" | {plans} Plans  {plans + 1} Cmp " in short
    least = bar("routing", len(short) - 1).plain
    assert least.startswith(" 1  2 [3 Route] 4  5 ")
    assert f" | {plans}  {plans + 1} " in least
    assert bar("routing", len(least) - 1).plain == f"[3 Route] {SPAN} views"


def test_the_current_view_is_set_off_and_no_other() -> None:
    assert bold(bar("fleet", 80)) == ["[2 Fleet]"]


@pytest.mark.parametrize("width", WIDTHS[:-1])
def test_the_header_is_as_wide_as_the_screen_and_ends_with_what_runs(width: int) -> None:
    found = header("41a7 spring *edited", "azure-2023-conv  llama-3.1-70b bf16  P99 TTFT<500ms", "● 1 job 63%", width)
    assert len(found.plain) == width
    assert found.plain.endswith("  ● 1 job 63%")
    calm = header("41a7", "azure-2023-conv", "", width)
    assert len(calm.plain) == width


def test_a_header_says_what_it_is_of_and_cuts_at_the_end() -> None:
    assert header("41a7", "chat", "", 30).plain == "fleettui  41a7  chat".ljust(30)
    assert header("", "", "", 10).plain == "fleettui  "
    assert header("41a7", "a-long-workload", "", 24).plain == "fleettui  41a7  a-long-…"
    assert bold(header("41a7", "chat", "", 30)) == ["fleettui"]


def test_the_keys_of_the_footer_are_bold_and_their_words_are_not() -> None:
    assert bold(words("enter edit  d default  esc back")) == ["enter", "d", "esc"]
    assert bold(words(keys.footer("routing", 80))) == [
        entry.split(" ")[0] for entry in keys.footer("routing", 80).split("  ")
    ]


class OneLine(App[None]):
    """One line on the screen."""

    def compose(self) -> ComposeResult:
        yield Line(id="line")


@pytest.mark.drawn
async def test_a_line_is_drawn_anew_only_when_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def counted(line: Line) -> Content:
        drawn.append(line._content.plain)
        return line._content

    monkeypatch.setattr(Line, "render", counted)
    app = OneLine()
    async with app.run_test(size=(20, 3)) as pilot:
        line = app.query_one(Line)
        line.show(Content("one"))
        await pilot.pause()
        drawn.clear()
        line.show(Content("one"))
        await pilot.pause()
        assert drawn == []
        line.show(Content("two"))
        await pilot.pause()
        assert set(drawn) == {"two"}
        assert line.size.height == 1
