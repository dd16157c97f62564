import kubernetes_validate
import pytest

from fleettui.reports.handoff import FORMATS
from tests.repeated import few
from tests.reports.handoff import yaml_files
from tests.reports.handoff.plans import PLANS, studied, subject
from tests.reports.handoff.schemas import VERSION


@pytest.mark.parametrize("name", few(PLANS, 8))
def test_every_pool_scales_as_it_was_replayed_and_keeps_the_published_schema(name: str) -> None:
    deployed = studied(subject(name))
    scaler, _ = FORMATS.named("hpa").write(deployed)
    for part, one in zip(deployed.pools, yaml_files.load_all(scaler.text), strict=True):
        kubernetes_validate.validate(one, VERSION, strict=True)
        spec = one["spec"]
        assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 20)
        assert spec["scaleTargetRef"]["name"] == deployed.name(part)
        assert spec["metrics"][0]["pods"]["target"] == {"type": "AverageValue", "averageValue": "35000m"}
        assert spec["behavior"]["scaleDown"]["stabilizationWindowSeconds"] == 300
        assert spec["behavior"]["scaleUp"]["policies"][1] == {"type": "Pods", "value": 4, "periodSeconds": 15}


def test_it_says_what_was_replayed_and_where_its_metric_comes_from() -> None:
    deployed = studied(subject("two pools"))
    scaler, adapter = FORMATS.named("hpa").write(deployed)
    words = " ".join(scaler.text.replace("\n#  ", "").split())
    assert "study ab05: fleettui autoscale 9f3c" in words
    assert "met every limit for 99.50% of the requests at $140/h" in words
    assert "a replica was taken to start in 300 s: fleettui autoscale 9f3c --delay 5min replays" in words
    (rule,) = yaml_files.load(adapter.text)["rules"]
    assert rule["name"]["as"] == "fleettui_requests_in_flight"
    assert rule["seriesQuery"] == 'vllm:num_requests_running{fleettui_plan="9f3c"}'
    assert rule["metricsQuery"].count("num_requests_") == 2
