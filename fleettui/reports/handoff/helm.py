"""A Helm chart of a plan's objects: what the plan cannot know are its values, which its schema asks for."""

from __future__ import annotations

import json
import re
from typing import Any

from fleettui.reports.handoff import gateway, texts
from fleettui.reports.handoff.filled_in import ABOUT, Place, filled_in, places
from fleettui.reports.handoff.model import Format, HandoffFile, Subject

FOLDER = "helm"
MARK = re.compile(r"^(?P<before> *(?:- )?\w+: )'(?P<mark>@[\w .-]+@)'$", re.MULTILINE)
"""A line of an object with a place to be filled in; names of people stand under keys with a slash."""
SCHEMA = "http://json-schema.org/draft-07/schema#"


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    files = {
        "Chart.yaml": ("the chart", _chart(subject)),
        "values.yaml": ("what the plan cannot know", _values(subject)),
        "values.schema.json": ("what must be said", json.dumps(_schema(subject), indent=1) + "\n"),
        "templates/fleet.yaml": ("the objects", _template(subject)),
    }
    return tuple(HandoffFile(name=f"{FOLDER}/{name}", about=about, text=text) for name, (about, text) in files.items())


def _chart(subject: Subject) -> str:
    content = {
        "apiVersion": "v2",
        "name": f"fleet-{subject.handle}",
        "description": f"fleettui plan {subject.handle}",
        "type": "application",
        "version": f"0.1.0+plan-{subject.handle}",
        "appVersion": subject.engine.version,
    }
    return texts.yaml_text(texts.head(subject), [texts.Document((), content)])


def _values(subject: Subject) -> str:
    told = f"helm install fleet-{subject.handle} {FOLDER} --set image=...,model=..."
    above = (*texts.head(subject), told, *(f"{name}: {ABOUT[name]}" for name in (*places(subject), *_own(subject))))
    content = {**dict.fromkeys(places(subject), ""), **_own(subject)}
    return texts.yaml_text(above, [texts.Document((), content)])


def _own(subject: Subject) -> dict[str, dict[str, Any]]:
    """Return the values that the plan has, by pool and by GPU."""
    return {
        "replicas": {part.slug: part.replicas for part in subject.pools},
        "nodeSelector": {part.pool.gpu: {} for part in subject.pools},
    }


def _schema(subject: Subject) -> dict[str, Any]:
    asked = places(subject)
    properties: dict[str, Any] = {
        name: {"type": "string", "minLength": 1, "description": ABOUT[name]} for name in asked
    }
    properties["replicas"] = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
    properties["nodeSelector"] = {
        "type": "object",
        "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    return {
        "$schema": SCHEMA,
        "title": f"fleettui plan {subject.handle}: what it cannot know",
        "description": "\n".join(texts.head(subject)),
        "type": "object",
        "required": list(asked),
        "properties": properties,
    }


def _template(subject: Subject) -> str:
    above = (*texts.head(subject), *gateway.told(subject))
    text = texts.yaml_text(above, filled_in(subject)).replace("{{", '{{ "{{" }}')
    return MARK.sub(lambda found: found["before"] + _expression(Place.read(found["mark"])), text)


def _expression(place: Place) -> str:
    """Return what Helm writes in a place.

    >>> _expression(Place(name="image"))
    '{{ .Values.image | quote }}'
    """
    if not place.key:
        return f"{{{{ .Values.{place.name} | quote }}}}"
    value = f"index .Values.{place.name} {json.dumps(place.key)}"
    return f"{{{{ {value} }}}}" if place.name == "replicas" else f"{{{{ {value} | toJson }}}}"


FORMAT = Format(name="helm", help="the same objects as a Helm chart, what is not known as its values", write=_write)
