"""A question in six lines: each reads or is refused where it stands, the last makes the question."""

from collections.abc import Mapping
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from fleettui.reports.question import five_lines
from fleettui.reports.question.also_line import ALSO
from fleettui.reports.question.keys import BY_NAME
from fleettui.tui.modals.ask import LINES, SEVERAL, Ask, Together
from fleettui.tui.question_draft import Draft
from tests.tui.conftest import CONV
from tests.tui.driving import SHEET, lines, text_of

TEXTS = Draft.of(CONV).texts
NOTHING: dict[str, str] = {"nothing": "yet"}
NONE: dict[str, str] = {}
FIVE = LINES[:-1]


class Asking(App[None]):
    """Asks at once, and keeps the answer."""

    CSS_PATH = SHEET

    def __init__(
        self, texts: Mapping[str, str], typed: Mapping[str, str] = NONE, also: Mapping[str, str] = NONE
    ) -> None:
        super().__init__()
        self.texts, self.typed, self.also = texts, typed, also
        self.answer: dict[str, str] | Together | None = NOTHING

    def on_mount(self) -> None:
        self.push_screen(Ask(self.texts, self.typed, also=self.also), lambda answer: setattr(self, "answer", answer))


def focused(app: App[Any]) -> str:
    assert app.focused is not None
    assert app.focused.id is not None
    return app.focused.id.removeprefix("ask-")


async def put(pilot: Pilot[None], name: str, text: str) -> None:
    pilot.app.screen.query_one(f"#ask-{name}", Input).value = text


async def test_every_line_has_what_the_present_question_says() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)):
        for name in FIVE:
            line = app.screen.query_one(f"#ask-{name}", Input)
            assert line.value == five_lines.write(name, TEXTS)
            assert any(five_lines.phrase_of(name).label in row and line.value in row for row in lines(app))
        assert focused(app) == "lengths"


async def test_enter_goes_on_and_the_last_makes_the_question() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        for name in LINES:
            assert focused(app) == name
            phrase = Ask.ALSO if name == ALSO else five_lines.phrase_of(name)
            assert text_of(app, "#ask-help").startswith(phrase.accepted)
            await pilot.press("enter")
        assert isinstance(app.answer, dict)
        said = {name for line in FIVE for name in five_lines.phrase_of(line).keys}
        assert set(app.answer) == said
        asked = Draft().set(app.answer).question()
        assert (asked.workload, asked.demand, asked.gpus, asked.slo) == (
            *(CONV.workload, CONV.demand, CONV.gpus, CONV.slo),
        )


async def test_a_line_that_does_not_read_keeps_the_focus() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await put(pilot, "demand", "a lot")
        await pilot.press("enter")
        assert focused(app) == "demand"
        assert text_of(app, "#ask-help").startswith("x ")
        assert app.screen.query_one("#ask-help").has_class("refused")
        await put(pilot, "demand", "20000 users x 6/h x 2.5")
        await pilot.press("enter")
        assert focused(app) == "model"
        assert not app.screen.query_one("#ask-help").has_class("refused")


async def test_a_line_that_was_passed_by_is_gone_back_to() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await put(pilot, "lengths", " ")
        await pilot.press("up")
        assert focused(app) == LINES[-1]
        await pilot.press("enter")
        await pilot.pause()
        assert app.answer is NOTHING
        assert focused(app) == "lengths"
        assert text_of(app, "#ask-help").startswith("x ")


@pytest.mark.parametrize(("keys", "name"), [(["down"], "demand"), (["up"], ALSO), (["down", "down", "up"], "demand")])
async def test_up_and_down_go_round(keys: list[str], name: str) -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*keys)
        assert focused(app) == name


async def test_the_keys_stay_under_a_long_refusal_in_a_small_window() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.press("2", "0", "enter")
        assert any("no such workload or file" in row for row in lines(app))
        assert "enter next line" in lines(app)[-2]


async def test_a_line_that_is_gone_back_to_is_corrected_by_backspace() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", *"50/ss", "enter", "backspace", "enter")
        assert (app.screen.query_one("#ask-demand", Input).value, focused(app)) == ("50/s", "model")
        await pilot.press("up", "backspace", *"min", "enter")
        assert (app.screen.query_one("#ask-demand", Input).value, focused(app)) == ("50/min", "model")


async def test_escape_leaves_without_a_question() -> None:
    app = Asking({})
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        assert app.answer is None


async def test_tab_completes_a_word_and_lists_once_it_is_whole() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"azure-2023-co", "tab")
        line = app.screen.query_one("#ask-lengths", Input)
        assert line.value == "azure-2023-co"
        assert text_of(app, "#ask-help") == "azure-2023-code  azure-2023-conv"
        await pilot.press("n", "tab")
        assert line.value == "azure-2023-conv"
        await pilot.press("enter", "enter", "enter", *"64 h1", "tab")
        assert app.screen.query_one("#ask-gpus", Input).value == "64 h100"


async def test_tab_leaves_no_line_that_does_not_read() -> None:
    """Seen: it went on without a word, and what was wrong was told at the end, lines later."""
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", *"fifty", "tab")
        line = app.screen.query_one("#ask-demand", Input)
        assert line.has_focus
        assert text_of(app, "#ask-help").startswith("x ")
        await pilot.press(*"50/s", "tab")
        assert (line.value, line.has_focus) == ("50/s", False)


async def test_what_was_not_typed_is_marked() -> None:
    app = Asking({"workload": "azure-2023-conv"})
    async with app.run_test(size=(80, 24)) as pilot:
        marks = {name: text_of(app, f"#ask-label-{name}").split()[1:] for name in LINES}
        assert marks == {
            "lengths": ["as", "before"],
            "demand": ["default"],
            "model": ["default"],
            "gpus": ["default"],
            "slo": [],
            ALSO: [],
        }
        await pilot.press("x")
        assert text_of(app, "#ask-label-lengths") == "lengths"


@pytest.mark.thorough
async def test_a_stock_and_a_prefix_hit_are_typed() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"azure-2023-conv hit 55%", "enter", "enter", "enter", *"40 a100 + 64 h100", *["enter"] * 3)
        assert isinstance(app.answer, dict)
        asked = Draft().set(app.answer).question()
        assert (asked.prefix_hit, asked.gpus, asked.max_gpus) == (
            *(0.55, ("a100", "h100"), (("a100", 40), ("h100", 64))),
        )


async def test_several_models_are_asked_for_in_the_same_lines() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await put(pilot, "model", "llama-3.1-8b + llama-3.1-70b fp8")
        await pilot.press("down", "down")
        assert text_of(app, "#ask-help").endswith(SEVERAL)
        await put(pilot, "demand", "9/s + 2/s + 1/s")
        await pilot.press("up", *["enter"] * 5)
        assert "this line has 3 parts, another has 2" in " ".join(text_of(app, "#ask-help").split())
        assert focused(app) == "demand"
        await put(pilot, "demand", "9/s + 2/s")
        await pilot.press(*["enter"] * 4)
        assert any("enter plans all of them" in line for line in lines(app))
        await pilot.press("enter")
        await pilot.pause()
    assert isinstance(app.answer, Together)
    assert [one.question.demand.rate for one in app.answer.question.entries] == [9.0, 2.0]
    assert app.answer.lines["demand"] == "9/s + 2/s"


async def test_what_was_typed_last_is_not_said_to_be_the_question_on_screen() -> None:
    app = Asking(TEXTS, {"demand": "9/s + 2/s"})
    async with app.run_test(size=(80, 24)):
        assert text_of(app, "#ask-label-demand").split() == ["demand", "as", "typed"]
        assert text_of(app, "#ask-label-model").split() == ["model", "as", "before"]


async def test_further_keys_of_the_question_before_stand_in_the_last_line() -> None:
    """Seen: a plan of 90 % confidence at a typed price lay there, and the next question had neither, without a word."""
    app = Asking(TEXTS, also={"price": "a100=3", "confidence": "90%", "budget": ""})
    async with app.run_test(size=(80, 24)) as pilot:
        assert any("also    as before   price=a100=3 confidence=90% budget=" in row for row in lines(app))
        await pilot.press("up", "end", *"40/h whole-nodes", "enter")
    assert isinstance(app.answer, dict)
    asked = Draft().set(app.answer).question()
    assert (asked.prices, asked.confidence, asked.budget, asked.whole_nodes) == (*((("a100", 3.0),), 0.9, 40.0, True),)


async def test_what_is_no_further_key_is_refused_where_it_stands() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("up", *"confidense=90%", "enter")
        assert "did you mean confidence" in text_of(app, "#ask-help")
        await pilot.press(*"confidence=2", "enter")
        assert text_of(app, "#ask-help").startswith("x also, confidence")
        assert (app.answer, focused(app)) == (NOTHING, ALSO)


async def test_several_models_have_further_keys_in_common() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await put(pilot, "model", "llama-3.1-8b + llama-3.1-70b fp8")
        await put(pilot, ALSO, "budget=90/h headroom=10% confidence=90% carbon=300g/kWh")
        await pilot.press("up", "enter")
        assert "a joint plan does not tell what tokens emit" in " ".join(text_of(app, "#ask-help").split())
        assert focused(app) == ALSO
        await put(pilot, ALSO, "budget=90/h headroom=10% confidence=90%")
        await pilot.press("enter")
        await pilot.pause()
    assert isinstance(app.answer, Together)
    joint = app.answer.question
    assert (joint.limits.budget, [one.question.headroom for one in joint.entries]) == (90.0, [0.1, 0.1])
    assert [one.question.confidence for one in joint.entries] == [0.9, 0.9]


async def test_a_key_that_was_completed_says_what_it_takes() -> None:
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("up", *"seed=1 budg", "tab")
        assert app.screen.query_one("#ask-also", Input).value == "seed=1 budget="
        assert text_of(app, "#ask-help") == BY_NAME["budget"].hint


async def test_what_is_told_meanwhile_lies_over_none_of_the_lines() -> None:
    """Found at 80x24: a notice of another plan over the refusal's last line, which says what is accepted."""
    app = Asking(TEXTS)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await put(pilot, "lengths", "nowhere.csv")
        await pilot.press("enter")
        before = lines(app)
        app.notify("a plan that was asked for before\nis done, and says so in several\nlines")
        await pilot.pause()
        first = next(place for place, line in enumerate(before) if line.strip())
        assert first >= 4, "the lines leave room above"
        assert lines(app)[first:] == before[first:]
        assert any("lines" in line for line in lines(app)[:first])
