"""The objects of more than ten plans, of every format that writes some, against the published schemas; offline."""

import json
import re
import shutil
import subprocess
from typing import Any

import jsonschema
import pytest

from fleettui.reports.handoff import FORMATS
from tests.repeated import few
from tests.reports.handoff import yaml_files
from tests.reports.handoff.plans import PLANS, studied, subject
from tests.reports.handoff.schemas import check

OBJECTS = ("kubernetes", "keda", "hpa", "alerts")
"""The formats that write objects."""
PLAIN = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


def objects(name: str, format: str) -> list[dict[str, Any]]:
    files = FORMATS.named(format).write(studied(subject(name)))
    found = [one for file in files if file.name.endswith(".yaml") for one in yaml_files.load_all(file.text)]
    return [one for one in found if one is not None and "kind" in one]


@pytest.mark.parametrize("format", OBJECTS)
@pytest.mark.parametrize("name", few(PLANS, 2))
def test_every_object_keeps_its_published_schema(name: str, format: str) -> None:
    found = objects(name, format)
    assert found
    for one in found:
        check(one)
        assert PLAIN.fullmatch(one["metadata"]["name"])


def test_there_are_more_than_ten_plans() -> None:
    assert len(PLANS) > 10


def test_a_field_that_is_not_published_is_noticed() -> None:
    (scaled, *_) = objects("two pools", "keda")
    check(scaled)
    with pytest.raises(jsonschema.ValidationError):
        check({**scaled, "spec": {**scaled["spec"], "minReplicas": 1}})
    route = next(one for one in objects("one pool", "kubernetes") if one["kind"] == "HTTPRoute")
    route["spec"]["rules"][0]["matches"][0]["path"]["type"] = "Prefix"
    with pytest.raises(jsonschema.ValidationError):
        check(route)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not here: Debian's package prometheus has it")
def test_prometheus_takes_every_rule(tmp_path) -> None:
    path = tmp_path / "rules.yaml"
    for name in PLANS:
        rules = next(one for one in objects(name, "alerts") if one["kind"] == "PrometheusRule")
        path.write_text(json.dumps(rules["spec"]), "utf-8")
        ended = subprocess.run(
            ["promtool", "check", "rules", str(path)], capture_output=True, text=True, check=False, timeout=60
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
