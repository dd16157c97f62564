from dataclasses import replace
from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.reports.handoff import FORMATS, kubernetes
from fleettui.reports.handoff.texts import of_pool
from tests.reports.handoff import yaml_files
from tests.reports.handoff.plans import HOSTILE, PLANS, subject


def objects(name: str) -> list[dict[str, Any]]:
    deployed = subject(name)
    (file,) = FORMATS.named("kubernetes").write(deployed)
    return [one for one in yaml_files.load_all(file.text) if one is not None]


def of_kind(name: str, kind: str) -> list[dict[str, Any]]:
    return [one for one in objects(name) if one["kind"] == kind]


@pytest.mark.parametrize("name", PLANS)
def test_every_pool_has_its_objects_and_every_object_its_plan(name: str) -> None:
    deployed, found = subject(name), objects(name)
    kinds = [one["kind"] for one in found]
    for kind in ("Service", "PodDisruptionBudget"):
        assert kinds.count(kind) == len(deployed.pools)
    assert kinds.count("Deployment") + kinds.count("LeaderWorkerSet") == len(deployed.pools)
    for one in found:
        labels, annotations = one["metadata"]["labels"], one["metadata"]["annotations"]
        assert labels["fleettui/plan"] == "9f3c"
        assert labels["app.kubernetes.io/version"] == deployed.engine.version
        assert annotations["fleettui/engine-version"] == str(deployed.kept.answer.plan.engine_version)


def test_a_deployment_has_the_pools_figures() -> None:
    part = subject("random").pools[0]
    (found,) = of_kind("random", "Deployment")
    (container,) = found["spec"]["template"]["spec"]["containers"]
    assert found["spec"]["replicas"] == part.pool.replicas + 2
    assert container["resources"]["limits"] == container["resources"]["requests"] == {"nvidia.com/gpu": "4"}
    assert container["args"][container["args"].index("--max-num-seqs") + 1] == str(part.pool.max_num_seqs)
    assert container["readinessProbe"]["httpGet"] == {"path": "/health", "port": "http"}
    assert container["startupProbe"]["failureThreshold"] * container["startupProbe"]["periodSeconds"] == 1800
    assert found["spec"]["selector"]["matchLabels"].items() <= found["spec"]["template"]["metadata"]["labels"].items()
    assert of_kind("random", "PodDisruptionBudget")[0]["spec"]["maxUnavailable"] == 2


def test_pods_of_a_plan_that_spreads_them_stand_on_as_many_nodes() -> None:
    """A pool that holds fewer spares as each stands on a node of its own fits on one, where all go down at once."""
    plain = subject("random")
    spread = replace(plain, pools=tuple(replace(part, per_node=1) for part in plain.pools))
    pods = [kubernetes.documents(one)[0].content["spec"]["template"] for one in (plain, spread)]
    assert "topologySpreadConstraints" not in pods[0]["spec"]
    (apart,) = pods[1]["spec"]["topologySpreadConstraints"]
    assert (apart["maxSkew"], apart["topologyKey"]) == (1, "kubernetes.io/hostname")
    assert apart["labelSelector"]["matchLabels"].items() <= pods[1]["metadata"]["labels"].items()
    assert "2 spare (at most 1 replica on a node)" in of_pool(spread, spread.pools[0])


@pytest.mark.parametrize("name", ["nodes", "sglang nodes"])
def test_a_replica_of_several_nodes_is_a_leader_with_workers(name: str) -> None:
    (found,) = of_kind(name, "LeaderWorkerSet")
    held = found["spec"]["leaderWorkerTemplate"]
    assert (found["spec"]["replicas"], held["size"]) == (3, 2)
    leader, worker = (held[key]["spec"]["containers"][0] for key in ("leaderTemplate", "workerTemplate"))
    assert leader["resources"]["limits"] == {"nvidia.com/gpu": "8"}
    assert "readinessProbe" in leader
    assert "readinessProbe" not in worker
    assert ("--headless" in worker["args"]) == (name == "nodes")
    assert "$(LWS_WORKER_INDEX)" in leader["args"]


def test_the_options_of_an_engine_are_mounted() -> None:
    first = of_kind("trtllm", "ConfigMap")[0]
    assert yaml_files.load(first["data"]["options.yaml"])["kv_cache_config"]["max_tokens"] == 65_536 * 16
    pod = of_kind("trtllm", "Deployment")[0]["spec"]["template"]["spec"]
    assert pod["volumes"][1]["configMap"]["name"] == first["metadata"]["name"]


def test_hostile_names_stay_in_their_places() -> None:
    found = objects("hostile")
    assert "Secret" not in {one["kind"] for one in found}
    pools = {"fleet-9f3c-short-kind-secret", "fleet-9f3c-reboot-reboot"}
    assert {one["metadata"]["name"] for one in found} == {*pools, "fleet-9f3c", "fleet-9f3c-endpoint-picker"}
    named = found[0]["metadata"]["annotations"]["fleettui/plan-name"]
    assert named.startswith(HOSTILE[:10])
    assert named.isprintable()


def test_what_cannot_be_known_is_refused() -> None:
    deployed = subject("trtllm")
    wide = replace(deployed, pools=tuple(replace(part, gpus_per_node=2) for part in deployed.pools))
    with pytest.raises(InputError, match="several nodes"):
        FORMATS.named("kubernetes").write(wide)
    own = replace(deployed, pools=tuple(replace(part, pool=replace(part.pool, gpu="mine")) for part in deployed.pools))
    with pytest.raises(InputError, match="not in the catalogue"):
        FORMATS.named("kubernetes").write(own)
