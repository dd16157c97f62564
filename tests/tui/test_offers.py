"""What the keys that name something known may be."""

from fleettui.hardware import catalog
from fleettui.tui.offers import OFFERS, offer, one_of
from fleettui.tui.question_draft import Draft
from tests import own_fits

ROOM = 77
"""Characters of a row on a screen of 80 columns."""


def test_every_row_is_one_line_at_80_columns_but_for_long_settings_and_fits() -> None:
    for name in ("gpu", "model"):
        found = offer(name, Draft().value, ROOM)
        assert found is not None
        assert all(len(row) <= ROOM and "\n" not in row for row in found.rows.values())
        assert found.head


def test_other_keys_are_typed() -> None:
    assert offer("rate", Draft().value, ROOM) is None
    assert set(OFFERS) == {"gpu", "model", "engine", "profile"}


def test_names_are_found_before_facts() -> None:
    found = offer("gpu", Draft().value, ROOM)
    assert found is not None
    names = list(found.found("H20"))
    assert {"h20", "h200"} <= set(names)
    assert all("h20" in name for name in names[:2])
    assert "mi300x" in found.found("206 GB")
    assert not found.found("./mine.toml")


def test_what_is_given_and_not_listed_stays_a_row() -> None:
    draft = Draft(texts={"gpu": "h100, ./my gpu.toml", "model": "./config.json"})
    gpus, model = offer("gpu", draft.value, ROOM), offer("model", draft.value, ROOM)
    assert gpus is not None
    assert model is not None
    assert "./my gpu.toml" in gpus.rows
    assert "./config.json" in model.rows


def test_second_names_of_models_can_be_chosen() -> None:
    found = offer("model", Draft().value, ROOM)
    assert found is not None
    assert {*catalog.model_names(), *catalog.model_aliases()} == set(found.rows)


def test_engines_are_told_on_the_asked_gpus() -> None:
    found = offer("engine", Draft(texts={"gpu": "a100"}).value, ROOM)
    assert found is not None
    assert found.rows["vllm"].endswith("2,048 and 256 on a100")


def test_engines_are_told_at_the_level_that_is_asked() -> None:
    found = offer("engine", Draft(texts={"gpu": "a100", "tuning": "tuned"}).value, ROOM)
    assert found is not None
    assert found.rows["vllm"].endswith("8,192 and 256 on a100")


def test_one_of_them_is_no_word_for_all() -> None:
    found = one_of("gpu", "./mine.toml", ROOM)
    assert "all" not in found.rows
    assert {"h100", "./mine.toml"} <= set(found.rows)
    assert (found.several, found.none) == (False, "")


def test_fits_are_told_with_runs_error_and_day(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("FLEETTUI_CONFIG", str(tmp_path / "config.toml"))
    empty = offer("profile", Draft().value, ROOM)
    assert empty is not None
    assert "no fit is kept" in empty.note
    own_fits.keep()
    (tmp_path / "fits" / "broken.json").write_text("{")
    found = offer("profile", Draft().value, ROOM)
    assert found is not None
    assert found.rows["prod"].split()[:3] == ["prod", "10", "25%"]
    assert "broken is no fit" in found.note
