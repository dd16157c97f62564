"""The name of a serving engine as it is typed."""

import pytest

from fleettui.errors import UnknownNameError
from fleettui.hardware import catalog
from fleettui.reports.question.engine_form import ENGINE


def test_an_engine_is_one_of_the_catalogues() -> None:
    assert [ENGINE.read(f" {name.upper()}", None) for name in catalog.engine_names()] == list(catalog.engine_names())


def test_another_is_refused_with_the_nearest_name_and_as_many_as_a_line_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ENGINE.read("vlm", "--engine")
    assert str(caught.value).splitlines() == [
        "--engine: unknown engine (got 'vlm')",
        "  did you mean vllm?",
        f"  accepted: {', '.join(catalog.engine_names())}",
    ]
    monkeypatch.setattr(catalog, "names", lambda _: tuple(f"engine-{place:02}" for place in range(20)))
    with pytest.raises(UnknownNameError) as caught:
        ENGINE.read("engine-07x", "--engine")
    assert str(caught.value).splitlines() == [
        "--engine: unknown engine (got 'engine-07x')",
        "  did you mean engine-07? (fleettui engine list shows them)",
    ]
