from dataclasses import replace

from fleettui.reports.report.model import Kept, sentence
from tests.store import samples


def test_the_newest_study_of_a_kind_is_found(kept: Kept) -> None:
    newest, older = (replace(samples.study(title=title), kind="growth") for title in ("newest", "older"))
    held = replace(kept, studies=(samples.study(), newest, older))
    assert held.study("growth") is newest
    assert held.study("why") is None


def test_a_symbol_keeps_its_case() -> None:
    assert sentence("λ × w") == "λ × w."
