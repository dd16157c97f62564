import pytest

from fleettui.domain.scenario import Demand, Question, Slo
from fleettui.reports.question.key import Key
from fleettui.reports.question.traffic_keys import TRAFFIC_KEYS

QUESTION = Question(workload="x", slo=Slo(ttft=1.0))
HOLDERS = {"": QUESTION, "demand": Demand(), "slo": QUESTION.slo}


@pytest.mark.parametrize("key", [key for key in TRAFFIC_KEYS if key.default], ids=lambda key: key.name)
def test_the_text_of_a_default_is_the_default_of_the_domain(key: Key) -> None:
    part, _, field = key.field.rpartition(".")
    assert key.form.read(key.default, None) == getattr(HOLDERS[part], field)
