from collections.abc import Callable

from fleettui.reports.question.keys import KEYS

Run = Callable[..., tuple[int, str, str]]


def test_the_options_of_a_question_stand_under_what_they_are_about(run: Run) -> None:
    for command in ("plan", "simulate", "backtest"):
        sections: dict[str, str] = {}
        heading = ""
        for line in run(command, "--help")[1].splitlines():
            heading = line if line[:1].strip() else heading
            sections[heading] = f"{sections.get(heading, '')}\n{line}"
        assert "  --gpu " in sections["What it may run on:"] if command == "plan" else True
        assert "  --rate " in sections["How much of it:"]
        assert "  --json " in sections["Options of the command:"]


def test_every_key_is_there_once(run: Run) -> None:
    out = run("plan", "--help")[1].split()
    assert all(sum(word in (key.option, f"{key.option},") for word in out) >= 1 for key in KEYS)
