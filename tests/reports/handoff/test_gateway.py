"""The way to the pools: which prompts go where, and what an endpoint picker is told of the plan's router."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.reports.handoff.gateway import CHOICES, CONFIG, RANGE, documents, label, told
from fleettui.reports.handoff.model import Subject
from fleettui.routing import ROUTERS
from tests.reports.handoff import yaml_files
from tests.reports.handoff.plans import of_marginals, subject


def routed(deployed: Subject, router: str) -> Subject:
    best = replace(deployed.best, fleet=replace(deployed.best.fleet, router=router))
    return replace(deployed, best=best)


def of_kind(deployed: Subject, kind: str) -> list[dict[str, Any]]:
    return [dict(one.content) for one in documents(deployed) if one.content["kind"] == kind]


def picker(deployed: Subject) -> dict[str, Any]:
    (config,) = of_kind(deployed, "ConfigMap")
    found: dict[str, Any] = yaml_files.load(config["data"][CONFIG])
    return found


def test_no_route_is_written_where_nothing_is_known_of_the_prompts() -> None:
    unknown = subject("two pools")
    unknown = replace(unknown, kept=of_marginals(unknown.kept))
    assert not list(documents(unknown))
    assert not label(unknown, unknown.pools[0])
    assert "no route is written" in " ".join(told(unknown))


def test_pods_say_which_prompts_they_take_and_the_picker_keeps_those() -> None:
    deployed = subject("two pools")
    short, long = (label(deployed, part)[RANGE] for part in deployed.pools)
    assert int(short.partition("-")[2]) + 1 == int(long.partition("-")[0])
    wider = routed(deployed, "least-loaded")
    assert label(wider, wider.pools[1])[RANGE].startswith("0-")
    found = picker(deployed)
    first = found["plugins"][0]
    assert first == {"type": "context-length-aware", "parameters": {"label": RANGE, "enableFiltering": True}}
    (pool,) = of_kind(deployed, "InferencePool")
    assert pool["spec"]["selector"]["matchLabels"] == {"fleettui/plan": "9f3c", "fleettui/role": "leader"}
    (route,) = of_kind(deployed, "HTTPRoute")
    (backend,) = route["spec"]["rules"][0]["backendRefs"]
    assert (backend["kind"], backend["name"]) == ("InferencePool", pool["metadata"]["name"])


@pytest.mark.parametrize("router", ROUTERS.names)
@pytest.mark.parametrize("name", ["two pools", "one pool"])
def test_a_profile_uses_plugins_that_are_made_each_once(name: str, router: str) -> None:
    deployed = routed(subject(name), router)
    if of_kind(deployed, "InferencePool"):
        found = picker(deployed)
        made = [one["type"] for one in found["plugins"]]
        used = [one["pluginRef"] for one in found["schedulingProfiles"][0]["plugins"]]
        assert len(set(made)) == len(made)
        assert set(made) - set(used) == {"single-profile-handler"}
        assert set(used) <= set(made)
    if router not in CHOICES:
        reasons = [reason for one in documents(deployed) for reason in one.comments]
        assert any(router in one for one in reasons)


def test_one_pool_has_a_picker_where_it_does_what_the_router_does() -> None:
    deployed = subject("one pool")
    assert next(one["type"] for one in picker(deployed)["plugins"]) == "active-request-scorer"
    (backend,) = of_kind(deployed, "HTTPRoute")[0]["spec"]["rules"][0]["backendRefs"]
    assert backend["kind"] == "InferencePool"
    plain = subject("random")
    assert not of_kind(plain, "InferencePool")
    assert of_kind(plain, "HTTPRoute")[0]["spec"]["rules"][0]["backendRefs"] == [
        {"name": "fleet-9f3c-short", "port": 8000}
    ]
