import pytest

from fleettui.autoscaling.estimator import Settings
from fleettui.reports.handoff import FORMATS
from tests.reports.handoff import yaml_files
from tests.reports.handoff.plans import PLANS, studied, subject


@pytest.mark.parametrize("name", PLANS)
def test_every_pool_has_the_settings_that_were_replayed(name: str) -> None:
    deployed = studied(subject(name))
    (file,) = FORMATS.named("estimator").write(deployed)
    for part, one in zip(deployed.pools, yaml_files.load_all(file.text), strict=True):
        assert one["pool"] == deployed.name(part)
        own = Settings(
            kind=one["class"],
            slots=one["slots_each"],
            beta=one["beta"],
            drain=one["drain"],
            step=one["step"],
            hold=one["hold"],
            warm=one["buffer"],
            cycle=one["cycle"],
            least=one["min"],
            most=one["max"],
        )
        assert own == Settings(slots=50.0, least=2, most=20)
    assert "estimator-beta met every limit for 99.10%" in " ".join(file.text.replace("\n#  ", "").split())
