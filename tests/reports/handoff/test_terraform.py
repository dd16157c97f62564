"""A configuration of the plan's own objects, with what the plan cannot know as variables; nodes by their instances."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.offers import Offer, PriceClass, PriceTerms
from fleettui.planning.handoff import write_folder
from fleettui.reports.handoff import FORMATS
from fleettui.reports.handoff.kubernetes import documents
from fleettui.reports.handoff.model import Subject
from tests.repeated import few
from tests.reports.handoff.plans import PLANS, subject
from tests.reports.handoff.schemas import check
from tests.reports.handoff.test_helm import SAID, meant

VARIABLE = re.compile(r'\$\{var\.(\w+)(?:\["([^"]+)"\])?\}')


def written(deployed: Subject) -> dict[str, dict[str, Any]]:
    return {one.name: json.loads(one.text) for one in FORMATS.named("terraform").write(deployed)}


def worked_out(value: Any, values: dict[str, Any]) -> Any:
    """Return what Terraform makes of a value."""
    if isinstance(value, dict):
        return {worked_out(key, values): worked_out(one, values) for key, one in value.items()}
    if isinstance(value, list):
        return [worked_out(one, values) for one in value]
    if isinstance(value, str) and (found := VARIABLE.fullmatch(value)):
        name, key = found.groups()
        return values[name][key] if key else values[name]
    return value.replace("$${", "${").replace("%%{", "%{") if isinstance(value, str) else value


@pytest.mark.parametrize("name", few(PLANS, 2, more=2))
def test_a_configuration_is_the_objects_of_the_plan(name: str) -> None:
    (content,) = written(subject(name)).values()
    given = {key: one["default"] for key, one in content["variable"].items() if "default" in one} | SAID
    found = [worked_out(one["manifest"], given) for one in content["resource"]["kubernetes_manifest"].values()]
    for one in found:
        check(one)
        assert one["metadata"].pop("namespace") == "default"
    assert [meant(one) for one in found] == [meant(dict(one.content)) for one in documents(subject(name))]
    assert {key for key, one in content["variable"].items() if "default" not in one} <= set(SAID)


def priced(price_class: PriceClass, provider: str = "aws") -> Subject:
    deployed = subject("one pool")
    offer = Offer(
        gpu="h100",
        price_class=price_class,
        provider=provider,
        region="us-east-1",
        per_hour=6.88,
        gpus=8,
        instance="p5.48xlarge",
        date="2026-05",
        source="a list",
    )
    terms = PriceTerms(price_class=price_class, provider=provider, offered=(offer,))
    scenario = replace(deployed.kept.scenario, question=replace(deployed.question, price_terms=terms))
    return replace(deployed, kept=replace(deployed.kept, scenario=scenario))


@pytest.mark.parametrize(
    ("price_class", "capacity"),
    [("on-demand", "ON_DEMAND"), ("reserved-1y", "ON_DEMAND"), ("spot", "SPOT"), ("capacity-block", "CAPACITY_BLOCK")],
)
def test_nodes_are_whole_instances_of_the_class_that_is_paid(price_class: PriceClass, capacity: str) -> None:
    deployed = priced(price_class)
    group = written(deployed)["terraform/nodes.tf.json"]["resource"]["aws_eks_node_group"]["h100"]
    assert deployed.fleet.gpus == 12  # of 8: two instances
    assert group["scaling_config"] == {"desired_size": 2, "min_size": 0, "max_size": 2}
    assert (group["instance_types"], group["capacity_type"]) == (["p5.48xlarge"], capacity)


def test_no_nodes_are_made_up_where_no_instance_is_known() -> None:
    assert list(written(priced("on-demand", "nebius"))) == ["terraform/fleet.tf.json"]


@pytest.mark.skipif(shutil.which("terraform") is None, reason="terraform is not here")
@pytest.mark.parametrize("deployed", [subject("hostile"), priced("spot")], ids=["hostile", "nodes"])
def test_terraform_reads_it(deployed: Subject, tmp_path) -> None:
    write_folder(FORMATS.named("terraform").write(deployed), tmp_path / "deploy", force=False)
    folder = tmp_path / "deploy" / "terraform"
    ended = subprocess.run(
        ["terraform", "providers"], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    assert "hashicorp/kubernetes" in ended.stdout
