"""Kept studies as files: their page, first table, data and picture."""

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fleettui.errors import InputError
from fleettui.planning.export import export
from fleettui.planning.study_files import study_file
from store import Store
from tests.reports.studies import test_disagg, test_power
from tests.store import samples


def test_a_study_goes_out_by_its_handle_in_every_format(tmp_path: Path) -> None:
    with Store.open(tmp_path / "plans.db", clock=samples.clock()) as store:
        plan = samples.add(store).plan.id
        kept = store.add_study(samples.study(plan))
        for name in ("md", "csv", "json"):
            assert export(store, kept.handle, name) == study_file(kept, name)
        assert json.loads(export(store, kept.handle, "json"))["study"]["handle"] == kept.handle
        with pytest.raises(
            InputError, match=r"a study is not written so \(got 'yaml'\)\n  accepted: md, csv, json, svg"
        ):
            export(store, kept.handle, "yaml")


def test_roles_links_and_watts_are_in_it() -> None:
    apart = study_file(test_disagg.study(), "md")
    assert "H100 tp4 x10 > H100 tp4 x4" in apart
    assert all(f"- {one}" in apart for one in test_disagg.study().sentences)
    rows = list(csv.DictReader(io.StringIO(study_file(test_power.study(), "csv"))))
    assert len(rows) == len(test_power.study().tables[0].rows)
    assert {"power"} <= rows[0].keys()


def test_a_picture_is_drawn_where_the_study_has_one() -> None:
    root = ElementTree.fromstring(study_file(test_power.study(), "svg"))
    assert root.tag.endswith("svg")
    with pytest.raises(InputError, match="this study has no picture"):
        study_file(test_disagg.study(), "svg")
