"""A plan as Kubernetes objects: the replicas of each pool, their service, their disruption budget, and the route."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from fleettui.domain.fleet import counted
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.reports.handoff import gateway, texts
from fleettui.reports.handoff.model import Format, HandoffFile, PoolPlan, Subject
from fleettui.reports.handoff.objects import ROLE, answerers, metadata
from fleettui.reports.handoff.servers import SERVERS
from fleettui.reports.handoff.servers.server import PORT, Server
from fleettui.reports.handoff.texts import Document

RESOURCES = {
    "NVIDIA": "nvidia.com/gpu",
    "AMD": "amd.com/gpu",
    "Google": "google.com/tpu",
    "Intel": "habana.ai/gaudi",
    "AWS": "aws.amazon.com/neuron",
}
"""What a GPU is called in a pod's resources, by its vendor: the name that the vendor's device plugin gives it."""
PATIENCE, PERIOD = 1800, 10
"""Seconds that weights may take to load before a pod is begun anew, and between two looks."""
LEAST_GRACE = 30
"""Seconds that a pod has to end at least; an answer under way may take twice what the plan foresees of E2E."""
OPTIONS, SETTINGS = "options.yaml", "/etc/engine"
REPLACE = "REPLACE"
"""What stands for what a plan cannot know."""
UNKNOWN = (
    "the image of the engine, the weights (MODEL), the nodes with these GPUs (add a nodeSelector), the namespace: "
    "replace every REPLACE",
    "how long the weights take to load: the startup probe waits 30 minutes",
)


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    above = (*texts.head(subject, *UNKNOWN), *gateway.told(subject))
    return (
        HandoffFile(
            name="kubernetes.yaml", about="the objects of every pool", text=texts.yaml_text(above, documents(subject))
        ),
    )


def documents(subject: Subject) -> tuple[Document, ...]:
    """Return the objects of a plan: those of every pool, then the way to them."""
    server = SERVERS.named(subject.engine.family)
    pools = (one for part in subject.pools for one in _pool(subject, server, part))
    return (*pools, *gateway.documents(subject))


def _pool(subject: Subject, server: Server, part: PoolPlan) -> Iterator[Document]:
    if server.settings is not None:
        yield Document((), _settings(subject, server, part))
    reasons = [f"{' '.join(one.words)}: {one.reason}" for one in server.arguments(subject, part)]
    told = (texts.of_pool(subject, part), *reasons)
    yield Document(told, _several(subject, server, part) if part.nodes > 1 else _deployment(subject, server, part))
    yield Document((), _service(subject, part))
    yield _budget(subject, part)


def _deployment(subject: Subject, server: Server, part: PoolPlan) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(subject, part),
        "spec": {
            "replicas": part.replicas,
            "selector": {"matchLabels": subject.labels(part)},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            "template": _template(subject, server, part, part.pool.gpus_per_replica),
        },
    }


def _several(subject: Subject, server: Server, part: PoolPlan) -> dict[str, Any]:
    """Return replicas of several nodes each: a LeaderWorkerSet; raises InputError where that is not known."""
    if server.spanning is None:
        raise InputError(
            f"how {server.name} starts over several nodes is not written here",
            where=f"pool {part.pool.name}",
            value=f"{part.pool.gpus_per_replica} GPUs a replica, {part.gpus_per_node} a node",
            remedy=f"--for {server.name} writes its command, to be started by the engine's own launcher",
        )
    gpus = part.pool.gpus_per_replica // part.nodes
    spanning = server.spanning(part.nodes, "$(LWS_WORKER_INDEX)", "$(LWS_LEADER_ADDRESS)")
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": metadata(subject, part),
        "spec": {
            "replicas": part.replicas,
            "startupPolicy": "LeaderCreated",
            "leaderWorkerTemplate": {
                "size": part.nodes,
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": _template(subject, server, part, gpus, spanning),
                "workerTemplate": _template(subject, server, part, gpus, (*spanning, *server.following), leads=False),
            },
        },
    }


def _template(
    subject: Subject, server: Server, part: PoolPlan, gpus: int, more: tuple[str, ...] = (), *, leads: bool = True
) -> dict[str, Any]:
    """Return the pods of a replica, or of one of its nodes; those that do not lead answer nobody."""
    mounts, volumes = [{"name": "shm", "mountPath": "/dev/shm"}], [{"name": "shm", "emptyDir": {"medium": "Memory"}}]
    words = [word for one in server.arguments(subject, part) for word in one.words]
    if server.settings is not None:
        words += [server.settings_argument, f"{SETTINGS}/{OPTIONS}"]
        mounts.append({"name": "options", "mountPath": SETTINGS})
        volumes.append({"name": "options", "configMap": {"name": subject.name(part)}})
    resource = {_resource(part): str(gpus)}
    container = {
        "name": "server",
        "image": f"{REPLACE}/{subject.engine.family}:{subject.engine.version}",
        "command": [*server.program, "$(MODEL)"],
        "args": [*words, *more],
        "env": [{"name": "MODEL", "value": REPLACE}],
        "resources": {"requests": resource, "limits": resource},
        **(_answering(server) if leads else {}),
        "volumeMounts": mounts,
    }
    return {
        "metadata": {
            "labels": {**subject.labels(part), **gateway.label(subject, part), ROLE: "leader" if leads else "worker"},
            "annotations": metadata(subject, part)["annotations"],
        },
        "spec": {
            "terminationGracePeriodSeconds": _grace(part),
            **_spread(subject, part),
            "containers": [container],
            "volumes": volumes,
        },
    }


def _spread(subject: Subject, part: PoolPlan) -> dict[str, Any]:
    """Return over what the pods of a pool are spread, by which fewer spare ones do than on nodes that are filled."""
    if not part.per_node:
        return {}
    apart = {
        "maxSkew": part.per_node,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": answerers(subject, part)},
    }
    return {"topologySpreadConstraints": [apart]}


def _answering(server: Server) -> dict[str, Any]:
    """Return port and probes of a container that answers."""
    probe = {"httpGet": {"path": server.health, "port": "http"}, "periodSeconds": PERIOD}
    return {
        "ports": [{"name": "http", "containerPort": PORT}],
        "startupProbe": {**probe, "failureThreshold": PATIENCE // PERIOD},
        "readinessProbe": {**probe, "timeoutSeconds": 5, "failureThreshold": 3},
    }


def _grace(part: PoolPlan) -> int:
    """Return the seconds in which a replica finishes what it has begun."""
    foreseen = part.figures.e2e
    return max(LEAST_GRACE, math.ceil(2.0 * foreseen)) if math.isfinite(foreseen) else LEAST_GRACE


def _resource(part: PoolPlan) -> str:
    try:
        return RESOURCES[catalog.gpu(part.pool.gpu).vendor]
    except (InputError, KeyError):
        raise InputError(
            "this GPU is not in the catalogue, so the name of its resource is not known",
            where=f"pool {part.pool.name}",
            value=part.pool.gpu,
            remedy="--for with the name of the engine writes the commands alone",
        ) from None


def _settings(subject: Subject, server: Server, part: PoolPlan) -> dict[str, Any]:
    assert server.settings is not None, "asked only of a server that reads options"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(subject, part),
        "data": {OPTIONS: texts.dumped(server.settings(subject, part)) + "\n"},
    }


def _service(subject: Subject, part: PoolPlan) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(subject, part),
        "spec": {
            "selector": answerers(subject, part),
            "ports": [{"name": "http", "port": PORT, "targetPort": "http"}],
        },
    }


def _budget(subject: Subject, part: PoolPlan) -> Document:
    """Return how many replicas a drain may take: the spare ones, or one where there is none."""
    spares = part.pool.spares
    told = (
        f"the plan needs {counted(part.pool.replicas, 'replica')} and has {spares} spare"
        if spares
        else "the plan has no spare replica: while one is drained its limits may break (--availability plans spares)"
    )
    content = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(subject, part),
        "spec": {"maxUnavailable": max(1, spares), "selector": {"matchLabels": answerers(subject, part)}},
    }
    return Document((told,), content)


FORMAT = Format(name="kubernetes", help="deployments, services, disruption budgets, the route", write=_write)
