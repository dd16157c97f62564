import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning.plan_files import kept_json
from fleettui.planning.report import SUFFIXES, kept_plan, report_plan, written
from store import Store
from tests.store import samples


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "plans.db", clock=samples.clock()) as opened:
        yield opened


def test_all_that_is_kept_of_a_plan_is_gathered(store: Store) -> None:
    plan = samples.add(store).plan
    older, newer = (store.add_study(samples.study(plan.id, title=title)) for title in ("older", "newer"))
    store.add_study(samples.study(title="of no plan"))
    kept = kept_plan(store, plan.handle)
    assert kept.studies == (newer, older)
    assert kept.workload == samples.workload()
    assert [one.gpu for one in kept.profiles] == ["h100", "a100"]
    assert kept.provenance == samples.provenance()
    assert kept.finished
    assert len(kept.answer.candidates) == 5


def test_a_plan_that_is_made_meanwhile_is_not_mixed_in(store: Store, crowded: Callable[[], None]) -> None:
    plan = samples.add(store, workload_name="other").plan
    crowded()
    kept = kept_plan(store, "last")
    assert (kept.answer.plan, kept.workload.name) == (plan, "other")


def test_a_plan_that_is_proved_still_is_not_finished(store: Store) -> None:
    begun, _ = samples.begin(store)
    assert not kept_plan(store, begun.plan.id).finished
    assert "not finished" in report_plan(store, begun.plan.id).answer


def test_a_page_is_written_in_every_format(store: Store) -> None:
    page = report_plan(store, samples.add(store).plan.id)
    starts = {"html": "<!doctype html>", "md": "# Capacity plan", "text": "Capacity plan"}
    assert set(SUFFIXES.values()) == set(starts)
    for name, start in starts.items():
        assert written(page, name).startswith(start)


def test_an_earlier_plan_stands_beside_it_stored_or_in_a_file(store: Store, tmp_path: Path) -> None:
    old, new = samples.add(store, samples.at(60.0, "spring")).plan, samples.add(store).plan
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(kept_json(store, old.id)))
    stored, filed = (report_plan(store, new.id, ref) for ref in ("spring", str(file)))
    for page in (stored, filed):
        (section,) = [one for one in page.sections if one.title == "Then and now"]
        assert section.tables[0].columns[1].title.startswith(f"then: {old.handle} spring, ")
    study = replace(samples.study(new.id), kind="causes", question=f"diff {old.handle} {new.handle}")
    store.add_study(study)
    (section,) = [one for one in report_plan(store, new.id, "spring").sections if one.title == "Then and now"]
    assert section.sentences[-1].startswith("What each input adds: ")
    with pytest.raises(InputError, match="compared with itself"):
        report_plan(store, new.id, new.handle)


def test_no_such_plan_is_refused(store: Store) -> None:
    with pytest.raises(InputError):
        report_plan(store, "nosuch")
