import re
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.limit import Limit
from fleettui.hardware import catalog
from fleettui.reports.handoff import FORMATS
from fleettui.reports.handoff.alerts import rules
from fleettui.reports.handoff.servers import SERVERS
from fleettui.reports.handoff.servers.server import Server
from tests.reports.handoff import argument_lists, yaml_files
from tests.reports.handoff.plans import PLANS, subject

FIELDS = {"alert", "expr", "for", "labels", "annotations"}
"""Of a rule that alerts, as Prometheus documents them."""
SERIES = re.compile(r'([a-z_:]+)\{fleettui_plan="9f3c",fleettui_pool="([a-z0-9-]+)"\}')


def written(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the pod monitor and the rules."""
    (file,) = FORMATS.named("alerts").write(subject(name))
    monitor, found = yaml_files.load_all(file.text)
    return monitor, found


@pytest.mark.parametrize("name", PLANS)
def test_thresholds_are_the_plans_figures(name: str) -> None:
    deployed = subject(name)
    _, found = written(name)
    assert [group["name"] for group in found["spec"]["groups"]] == [deployed.name(part) for part in deployed.pools]
    for part, group in zip(deployed.pools, found["spec"]["groups"], strict=True):
        alerts = {one["alert"]: one for one in group["rules"]}
        assert all(set(one) == FIELDS for one in group["rules"])
        for limit in deployed.question.slo.limits():
            metric = limit.metric.capitalize()
            assert threshold(alerts[f"Fleet{metric}AboveLimit"]) == limit.seconds
            foreseen = part.predicted(limit)
            assert (foreseen is None) == (f"Fleet{metric}AbovePlan" not in alerts)
            if foreseen is not None:
                assert threshold(alerts[f"Fleet{metric}AbovePlan"]) == pytest.approx(foreseen, rel=1e-5)
        assert threshold(alerts["FleetReplicasBelowPlan"]) == part.pool.replicas
        least = part.figures.arrival_rate
        assert least <= threshold(alerts["FleetArrivalsAbovePlan"]) <= 1.05 * least
        if least > 0:
            busiest = max(deployed.question.max_utilization, part.utilization)
            assert threshold(alerts["FleetUtilizationAboveLimit"]) == busiest


def threshold(rule: dict[str, Any]) -> float:
    return float(rule["expr"].split()[-1])


def test_work_at_the_planned_rate_is_the_planned_utilization() -> None:
    deployed = subject("two pools")
    part = deployed.pools[0]
    (rule,) = (one for one in rules(deployed, part) if one.name == "FleetUtilizationAboveLimit")
    factor = float(rule.query.partition(" * ")[0])
    assert factor * part.figures.arrival_rate / part.pool.replicas == pytest.approx(part.utilization, rel=1e-5)


@pytest.mark.parametrize("server", tuple(SERVERS), ids=lambda one: one.name)
def test_series_are_told_by_the_version_of_the_catalogue(server: Server) -> None:
    listed = argument_lists.listed("metrics")[server.name]
    metrics = server.metrics
    assert listed["version"] == catalog.engine(server.name).version
    assert {metrics.running, metrics.waiting, metrics.completed, *metrics.latencies.values()} <= set(listed["names"])


@pytest.mark.parametrize("name", ["two pools", "sglang", "trtllm"])
def test_series_are_those_of_the_engine_and_the_monitor_labels_them(name: str) -> None:
    deployed = subject(name)
    monitor, found = written(name)
    metrics = SERVERS.named(deployed.engine.name).metrics
    known = {metrics.waiting, metrics.completed, "up", *(f"{one}_bucket" for one in metrics.latencies.values())}
    for group in found["spec"]["groups"]:
        series = [SERIES.findall(one["expr"]) for one in group["rules"]]
        assert all(series)
        assert {one for each in series for one, _ in each} <= known
    assert monitor["spec"]["podTargetLabels"] == ["fleettui/plan", "fleettui/pool"]
    assert monitor["spec"]["podMetricsEndpoints"][0]["path"] == metrics.path


def test_a_simulated_latency_counts_at_the_high_end_of_its_interval() -> None:
    part, formula = subject("two pools").pools[1], subject("formula").pools[1]
    assert part.predicted(Limit.of("ttft", 0.5)) == pytest.approx(0.47)
    assert formula.predicted(Limit.of("ttft", 0.5)) == 0.48


def test_without_a_limit_the_first_token_is_watched() -> None:
    _, found = written("formula")
    names = [one["alert"] for one in found["spec"]["groups"][0]["rules"]]
    assert names[0] == "FleetTtftAbovePlan"
    assert not any(name.endswith("TtftAboveLimit") for name in names)


def test_what_a_server_does_not_tell_is_not_watched() -> None:
    deployed = subject("two pools")
    scenario = deployed.kept.scenario
    further = (("normalized.p90", 0.06), ("e2e.p90", 60.0))
    question = replace(scenario.question, slo=replace(scenario.question.slo, further=further))
    asked = replace(deployed, kept=replace(deployed.kept, scenario=replace(scenario, question=question)))
    with_limits, without = ({one.name for one in rules(own, own.pools[0])} for own in (asked, deployed))
    assert with_limits - without == {"FleetE2eP90AboveLimit"}
