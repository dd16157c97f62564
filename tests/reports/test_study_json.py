import json
from dataclasses import replace

from fleettui.domain.study import StudyColumn, StudyTable
from fleettui.reports.study_json import study_json, study_line
from tests.store.samples import study


def test_a_study_is_an_object_of_si_cells_under_their_names() -> None:
    plain = study_json(replace(study("last"), id="0199", handle="41a7", created="2026-11-21T20:00:00.000Z"), "show")
    assert plain == {
        "schema": 1,
        "command": "show",
        "study": {
            "id": "0199",
            "handle": "41a7",
            "kind": "steps",
            "title": "When does each fleet run out?",
            "question": "whatif last --steps",
            "plan": "last",
            "seed": 7,
            "engine_version": study().engine_version,
            "created": "2026-11-21T20:00:00.000Z",
        },
        "sentences": ["4 H100 hold up to 25.5/s.", "λ × w"],
        "tables": [
            {
                "title": "steps",
                "note": "until: the rate at which it runs out",
                "rows": [
                    {"fleet": "4 h100 tp4x1", "gpus": 4, "until": 25.5, "cost": 11.96},
                    {"fleet": "8 h100 tp4x2", "gpus": 8, "until": 60.0, "cost": None},
                ],
            }
        ],
        "warnings": ["dispersion above 2"],
    }
    assert list(plain) == ["schema", "command", "study", "sentences", "tables", "warnings"]


def test_a_study_of_no_plan_has_null_there() -> None:
    assert study_line(study())["plan"] is None


def test_published_tables_hold_cells() -> None:
    names = ("table", "cell", "printed", "paper", "recommended", "note")
    columns = tuple(
        StudyColumn(name=name, quantity="number" if 1 < place < 5 else "text") for place, name in enumerate(names)
    )
    table = StudyTable(title="FO T3", columns=columns, rows=(("FO T3", "GPUs", 24, 24, float("nan"), "slots"),))
    plain = study_json(replace(study(), kind="published", tables=(table,)), "published")
    assert plain["tables"] == [
        {
            "table": "FO T3",
            "note": "",
            "cells": [
                {"table": "FO T3", "cell": "GPUs", "printed": 24, "paper": 24, "recommended": None, "note": "slots"}
            ],
        }
    ]
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
