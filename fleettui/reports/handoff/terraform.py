"""A Terraform configuration of a plan's objects, and of its nodes where the plan's price names their instances."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fleettui.domain.offers import Offer
from fleettui.reports.handoff import gateway, texts
from fleettui.reports.handoff.filled_in import ABOUT, Place, filled_in, places
from fleettui.reports.handoff.model import POOL, Format, HandoffFile, Subject

FOLDER = "terraform"
KUBERNETES = {"source": "hashicorp/kubernetes", "version": "~> 2.30"}
AWS = {"source": "hashicorp/aws", "version": ">= 5.60"}
MARK = re.compile(r"@[\w .-]+@")
CAPACITY: Mapping[str, str] = {"spot": "SPOT", "capacity-block": "CAPACITY_BLOCK"}
"""How EKS calls the classes of prices; commitments are a matter of the bill."""
NODES_KNOWN = "the cluster, the role and the subnets of its nodes"


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    groups = dict(_groups(subject))
    providers = {"kubernetes": KUBERNETES, **({"aws": AWS} if groups else {})}
    fleet = _text(_fleet(subject, providers))
    files = [HandoffFile(name=f"{FOLDER}/fleet.tf.json", about="the objects", text=fleet)]
    if groups:
        nodes = HandoffFile(name=f"{FOLDER}/nodes.tf.json", about="the nodes", text=_text(_nodes(subject, groups)))
        files.append(nodes)
    return tuple(files)


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _fleet(subject: Subject, providers: Mapping[str, Any]) -> dict[str, Any]:
    needs = {name: {"type": "string", "description": ABOUT[name]} for name in places(subject)}
    pools = {part.slug: part.replicas for part in subject.pools}
    gpus: dict[str, Any] = {part.pool.gpu: {} for part in subject.pools}
    return {
        "//": [*map(_plain, (*texts.head(subject), *gateway.told(subject)))],
        "terraform": {"required_version": ">= 1.3", "required_providers": providers},
        "variable": {
            **needs,
            "namespace": {"type": "string", "default": "default"},
            "replicas": {"type": "map(number)", "default": pools, "description": ABOUT["replicas"]},
            "nodeSelector": {"type": "map(map(string))", "default": gpus, "description": ABOUT["nodeSelector"]},
        },
        "resource": {"kubernetes_manifest": dict(_objects(subject))},
        "output": {"gpus": {"description": "GPUs by type", "value": subject.fleet.gpus_by_type}},
    }


def _objects(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object by its kind and pool."""
    for one in filled_in(subject):
        content, metadata = one.content, one.content["metadata"]
        pool = metadata["labels"].get(POOL, "fleet")
        manifest = {**content, "metadata": {**metadata, "namespace": "@namespace@"}}
        yield f"{content['kind'].lower()}_{pool}", {"//": [*map(_plain, one.comments)], "manifest": _walked(manifest)}


def _walked(value: Any) -> Any:
    """Return a part of an object as Terraform reads it: texts as they are, places as variables."""
    if isinstance(value, Mapping):
        return {_plain(key): _walked(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_walked(one) for one in value]
    if isinstance(value, str) and MARK.fullmatch(value):
        return _expression(Place.read(value))
    return _plain(value) if isinstance(value, str) else value


def _plain(text: str) -> str:
    """Return a text in which nothing is worked out.

    >>> _plain("${a} %{b} $c")
    '$${a} %%{b} $c'
    """
    return text.replace("${", "$${").replace("%{", "%%{")


def _expression(place: Place) -> str:
    """Return the variable that fills a place.

    >>> _expression(Place(name="replicas", key="short"))
    '${var.replicas["short"]}'
    """
    key = f"[{json.dumps(place.key)}]" if place.key else ""
    return f"${{var.{place.name}{key}}}"


def _groups(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a group of nodes for each GPU type whose price is one of an instance of AWS."""
    terms = subject.question.price_terms
    offers = {one.gpu: one for one in terms.offered} if terms is not None else {}
    for gpu, count in subject.fleet.gpus_by_type.items():
        offer = offers.get(gpu)
        if offer is not None and offer.provider == "aws" and offer.instance:
            yield gpu.replace(".", "-"), _group(subject, offer, -(-count // offer.gpus))


def _group(subject: Subject, offer: Offer, nodes: int) -> dict[str, Any]:
    return {
        "//": f"{offer.gpu}: {nodes} x {offer.instance} of {offer.gpus} GPUs, {offer.price_class}, {offer.date}",
        "cluster_name": "${var.cluster_name}",
        "node_group_name": f"fleet-{subject.handle}-{offer.gpu}",
        "node_role_arn": "${var.node_role_arn}",
        "subnet_ids": "${var.subnet_ids}",
        "instance_types": [offer.instance],
        "capacity_type": CAPACITY.get(offer.price_class, "ON_DEMAND"),
        "ami_type": "AL2023_x86_64_NVIDIA",
        "scaling_config": {"desired_size": nodes, "min_size": 0, "max_size": nodes},
        "labels": {"fleettui/plan": subject.handle, "fleettui/gpu": offer.gpu},
    }


def _nodes(subject: Subject, groups: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "//": [*map(_plain, texts.head(subject, NODES_KNOWN))],
        "variable": {
            "cluster_name": {"type": "string"},
            "node_role_arn": {"type": "string"},
            "subnet_ids": {"type": "list(string)"},
        },
        "resource": {"aws_eks_node_group": groups},
    }


FORMAT = Format(
    name="terraform", help="the same objects for Terraform, and AWS's nodes by their instances", write=_write
)
