"""What a plan cannot know, as places to be filled in: values of a chart, variables of a configuration.

A place stands as a text between two @ where objects have it; no name of a person's comes to stand there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fleettui.reports.handoff.gateway import GATEWAY, PICKER
from fleettui.reports.handoff.kubernetes import REPLACE, documents
from fleettui.reports.handoff.model import POOL, Subject
from fleettui.reports.handoff.texts import Document

SCALED = ("Deployment", "LeaderWorkerSet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Something to be filled in: `name` as a value or variable is called, and `key` which of several it is."""

    name: str
    key: str = ""

    @property
    def mark(self) -> str:
        """What stands in its place.

        >>> Place(name="replicas", key="short").mark
        '@replicas short@'
        """
        return f"@{' '.join(filter(None, (self.name, self.key)))}@"

    @classmethod
    def read(cls, mark: str) -> Place:
        """Return the place of a mark."""
        name, _, key = mark.strip("@").partition(" ")
        return cls(name=name, key=key)


IMAGE, MODEL = Place(name="image"), Place(name="model")
ROUTE, CHOOSER = Place(name="gateway"), Place(name="endpointPicker")
ABOUT: Mapping[str, str] = {
    "image": "the image of the engine",
    "model": "the weights: their path or name",
    "gateway": "the name of the gateway",
    "endpointPicker": "the name of the endpoint picker's service",
    "replicas": "replicas of each pool, as planned",
    "nodeSelector": "labels of the nodes with each GPU, where there are other nodes",
}
"""What each place is, by its name."""


def filled_in(subject: Subject) -> tuple[Document, ...]:
    """Return the objects of a plan with the places that are to be filled in."""
    gpus = {part.slug: part.pool.gpu for part in subject.pools}
    return tuple(Document(one.comments, _marked(one.content, gpus)) for one in documents(subject))


def places(subject: Subject) -> tuple[str, ...]:
    """Return the names of the places without a value of the plan's own, in order."""
    found = {text for one in filled_in(subject) for text in _texts(one.content)}
    return tuple(one.name for one in (IMAGE, MODEL, ROUTE, CHOOSER) if one.mark in found)


def _marked(content: Mapping[str, Any], gpus: Mapping[str, str]) -> dict[str, Any]:
    pool = content["metadata"]["labels"].get(POOL, "")
    found: dict[str, Any] = _walked(dict(content), Place(name="nodeSelector", key=gpus.get(pool, "")))
    if content["kind"] in SCALED:
        found["spec"]["replicas"] = Place(name="replicas", key=pool).mark
    return found


def _walked(value: Any, nodes: Place) -> Any:
    """Return a part of an object with its places, and with one for the nodes in every pod."""
    if isinstance(value, Mapping):
        walked = {key: _place(key, one) or _walked(one, nodes) for key, one in value.items()}
        return {"nodeSelector": nodes.mark, **walked} if "containers" in walked else walked
    return [_walked(one, nodes) for one in value] if isinstance(value, list) else value


def _place(key: str, value: Any) -> str | None:
    """Return the mark of a place, None where there is none."""
    known = {("value", REPLACE): MODEL, ("name", GATEWAY): ROUTE, ("name", PICKER): CHOOSER}
    if not isinstance(value, str):
        return None
    if key == "image" and value.startswith(f"{REPLACE}/"):
        return IMAGE.mark
    found = known.get((key, value))
    return None if found is None else found.mark


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value] if isinstance(value, str) else []
