"""All fault tests, their long forms too, with what was counted: `python -m tests.faults [PYTEST OPTIONS]`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest


class Figures:
    """Counts what passed and failed in each file, and tells at once what the tests themselves counted."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.terminal: pytest.TerminalReporter | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Find where pytest writes: what tests print is held back."""
        self.terminal = session.config.pluginmanager.get_plugin("terminalreporter")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a test went."""
        if report.when == "call" or not report.passed:
            self.counts.setdefault(Path(report.fspath).stem, Counter())[report.outcome] += 1
        for name, value in report.user_properties if report.when == "call" else ():
            if name == "figure" and self.terminal is not None:
                self.terminal.ensure_newline()
                self.terminal.write_line(str(value), flush=True)

    def lines(self) -> list[str]:
        """Return a line for each file."""
        return [
            f"{name}: {', '.join(f'{n} {word}' for word, n in sorted(count.items()))}"
            for name, count in sorted(self.counts.items())
        ]


def main(options: list[str]) -> int:
    """Run the tests one after another and print the figures; return pytest's exit code."""
    figures = Figures()
    code = pytest.main(["-m", "evidence or not evidence", "-n", "0", str(Path(__file__).parent), *options], [figures])
    sys.stdout.write("".join(f"{line}\n" for line in figures.lines()))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
