"""One line at the foot of the screen: taken, refused where it is typed, or left."""

from textual.app import App
from textual.widgets import Input

from fleettui.errors import InputError
from fleettui.tui.modals.prompt import Prompt
from tests.tui.driving import SHEET, lines, text_of, told

NOTHING = "nothing yet"


class Asking(App[None]):
    """Asks at once, and keeps the answer."""

    CSS_PATH = SHEET

    def __init__(self, prompt: Prompt) -> None:
        super().__init__()
        self.prompt = prompt
        self.answer: str | None = NOTHING

    def on_mount(self) -> None:
        self.push_screen(self.prompt, lambda answer: setattr(self, "answer", answer))


def even(text: str) -> None:
    if not text.isdigit() or int(text) % 2:
        raise InputError("not even", value=f"[b]{text}[/b]", accepted="2, 4")


async def test_the_text_is_taken_with_enter() -> None:
    app = Asking(Prompt("name", value="old", help="what to find it by"))
    async with app.run_test(size=(60, 10)) as pilot:
        assert any("what to find it by" in line for line in lines(app))
        assert any("name   enter takes it, tab completes, esc leaves" in line for line in lines(app))
        await pilot.press("n", "e", "w", "1")
        await pilot.press("enter")
        assert app.answer == "new1", "what was there is selected, and typed over"


async def test_what_was_told_before_does_not_lie_over_the_help() -> None:
    app = Asking(Prompt("name", help="what to find it by"))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("escape")
        app.notify("told before")
        await pilot.pause()
        assert told(app) == ["told before"]
        app.push_screen(Prompt("name"))
        await pilot.pause()
        assert told(app) == []


async def test_what_is_told_meanwhile_does_not_lie_over_a_refusal() -> None:
    """Found at 80x24: a notice of another plan over the refusal's last line, which says what is accepted."""
    app = Asking(Prompt("name", check=even))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("3", "enter")
        app.notify("a plan that was asked for before\nis done, and says so in several\nlines")
        await pilot.pause()
        seen = "\n".join(lines(app))
        assert "lines" in seen.partition("not even")[0], "above it"
        assert "accepted: 2, 4" in seen.partition("not even")[2]


async def test_what_was_there_is_kept_by_enter_alone() -> None:
    app = Asking(Prompt("name", value="old"))
    async with app.run_test() as pilot:
        await pilot.press("enter")
        assert app.answer == "old"


async def test_escape_leaves_without_a_text() -> None:
    app = Asking(Prompt("name", value="old", check=even))
    async with app.run_test() as pilot:
        await pilot.press("escape")
        assert app.answer is None


async def test_a_refused_text_stays_and_is_told_why() -> None:
    app = Asking(Prompt("count", value="3", help="an even number", check=even))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("enter")
        assert app.answer == NOTHING
        assert text_of(app, "#prompt-help") == "x not even (got '[b]3[/b]')\n  accepted: 2, 4"
        assert app.screen.query_one("#prompt-help").has_class("refused")
        assert app.screen.query_one(Input).value == "3"
        await pilot.press("end", "backspace", "4", "enter")
        assert app.answer == "4"


async def test_a_refusal_names_keys_of_the_question_not_options() -> None:
    def wants_a_budget(text: str) -> None:
        raise InputError("steps are too small", value=text, remedy="add --token-budget 8192, or leave out --tp")

    app = Asking(Prompt("count", value="3", check=wants_a_budget))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("enter")
        told = "x steps are too small (got '3')\n  do: add token-budget 8192, or leave out tp"
        assert text_of(app, "#prompt-help") == told


async def test_a_bug_in_what_is_asked_is_told_and_the_line_stays() -> None:
    def broken(_: str) -> None:
        raise ZeroDivisionError

    app, raised = Asking(Prompt("count", value="3", check=broken)), list[Exception]()
    app.tell_error = raised.append  # type: ignore[attr-defined]
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("enter")
        assert [type(error) for error in raised] == [ZeroDivisionError]
        assert (app.answer, app.screen) == (NOTHING, app.prompt)


async def test_a_line_that_was_refused_later_stands_there_with_why() -> None:
    app = Asking(Prompt("count", value="3 of 4", refusal="there are no four", help="a count"))
    async with app.run_test(size=(60, 10)) as pilot:
        assert text_of(app, "#prompt-help") == "x there are no four"
        assert app.screen.query_one("#prompt-help").has_class("refused")
        await pilot.press("backspace", "3", "enter")
        assert app.answer == "3 of 3"


async def test_markup_is_text() -> None:
    app = Asking(Prompt("[b]label[/b]", help="[red]help[/]"))
    async with app.run_test(size=(60, 10)):
        assert any("[b]label[/b]" in line for line in lines(app))
        assert any("[red]help[/]" in line for line in lines(app))


async def test_tab_completes_and_what_is_typed_after_a_refusal_replaces_the_line() -> None:
    app = Asking(Prompt("plan", check=even, words=("last", "summer", "summit"), files=False))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("s", "tab")
        assert app.screen.query_one(Input).value == "summ"
        assert text_of(app, "#prompt-help") == "summer  summit"
        await pilot.press("enter")
        assert app.screen.query_one("#prompt-help").has_class("refused")
        await pilot.press("4", "enter")
        assert app.answer == "4"
