"""A chart renders to the plan's own objects, and asks for what the plan cannot know."""

import json
import re
import shutil
import subprocess
from typing import Any

import jsonschema
import pytest

from fleettui.planning.handoff import write_folder
from fleettui.reports.handoff import FORMATS
from fleettui.reports.handoff.kubernetes import documents
from tests.repeated import few
from tests.reports.handoff import yaml_files
from tests.reports.handoff.plans import PLANS, subject
from tests.reports.handoff.schemas import check

SAID = {"image": "mine/vllm:1", "model": "/weights", "gateway": "front", "endpointPicker": "picker"}
MEANT = {"replace-gateway": "front", "replace-endpoint-picker": "picker", "REPLACE": "/weights"}
ACTION = re.compile(r'\{\{ (?:\.Values\.(\w+) \| quote|index \.Values\.(\w+) "([^"]+)"(?: \| toJson)?|("\{\{")) \}\}')


def files(name: str) -> dict[str, str]:
    return {one.name.removeprefix("helm/"): one.text for one in FORMATS.named("helm").write(subject(name))}


def rendered(name: str) -> list[dict[str, Any]]:
    """Return the objects of a chart, by the few actions that it has."""
    found = files(name)
    values: dict[str, Any] = {**yaml_files.load(found["values.yaml"]), **SAID}

    def act(match: re.Match[str]) -> str:
        plain, several, key, braces = match.groups()
        return "{{" if braces else json.dumps(values[plain] if plain else values[several][key])

    return [one for one in yaml_files.load_all(ACTION.sub(act, found["templates/fleet.yaml"])) if one is not None]


def meant(value: Any, key: str = "") -> Any:
    """Return an object as it is with what was said, nodes left open."""
    if isinstance(value, dict):
        return {name: meant(one, name) for name, one in value.items() if name != "nodeSelector"}
    if isinstance(value, list):
        return [meant(one) for one in value]
    if key == "image":
        return SAID["image"]
    return MEANT.get(value, value) if key in {"name", "value"} else value


@pytest.mark.parametrize("name", few(PLANS, 2))
def test_a_chart_is_the_objects_of_the_plan(name: str) -> None:
    found = rendered(name)
    for one in found:
        check(one)
    assert [meant(one) for one in found] == [meant(dict(one.content)) for one in documents(subject(name))]


@pytest.mark.parametrize("name", ["two pools", "random"])
def test_its_schema_asks_for_what_is_not_known(name: str) -> None:
    found = files(name)
    values, schema = yaml_files.load(found["values.yaml"]), json.loads(found["values.schema.json"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, schema)
    said = {**values, **{key: SAID[key] for key in schema["required"]}}
    jsonschema.validate(said, schema)
    assert ("endpointPicker" in said) == (name == "two pools")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**said, "replicas": {"short": "many"}}, schema)
    chart = yaml_files.load(found["Chart.yaml"])
    assert (chart["apiVersion"], chart["name"], chart["version"]) == ("v2", "fleet-9f3c", "0.1.0+plan-9f3c")


@pytest.mark.skipif(shutil.which("helm") is None, reason="helm is not here")
@pytest.mark.parametrize("name", ["two pools", "nodes", "hostile"])
def test_helm_renders_the_same(name: str, tmp_path) -> None:
    write_folder(FORMATS.named("helm").write(subject(name)), tmp_path / "deploy", force=False)
    said = ",".join(f"{key}={value}" for key, value in SAID.items())
    command = ["helm", "template", "x", str(tmp_path / "deploy" / "helm"), "--set", said]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    found = [one for one in yaml_files.load_all(ended.stdout) if one is not None]
    key = lambda one: (one["kind"], one["metadata"]["name"])  # noqa: E731
    assert sorted(found, key=key) == sorted(rendered(name), key=key)
