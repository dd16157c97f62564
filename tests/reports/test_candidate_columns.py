import csv
import io

from fleettui.domain.scenario import Question
from fleettui.reports.candidate_columns import candidate_columns
from fleettui.reports.columns import csv_text
from tests.reports.conftest import simulated, too_slow, two_pools


def test_every_candidate_is_a_row_in_si_units(question: Question) -> None:
    best = simulated(two_pools())
    text = csv_text(candidate_columns(question, best), (best, too_slow()))
    first, second = csv.DictReader(io.StringIO(text))
    assert tuple(first)[:4] == ("candidate", "answer", "fleet", "pools")
    assert text.count("\n") == 3
    assert (first["candidate"], first["answer"], first["method"], first["verdict"]) == (
        "41a7",
        "1",
        "simulation",
        "pass",
    )
    assert (first["fleet"], first["up_to"]) == ("H100 tp4 x4 + tp4 x2", "4096 16384")
    assert (float(first["cost_per_hour"]), float(first["power"])) == (71.0, 14_000.0)
    assert [float(first[name]) for name in ("ttft", "ttft_low", "ttft_high")] == [0.443, 0.886 - 0.447, 0.447]
    assert (second["answer"], second["method"], second["verdict"], second["ttft_low"]) == ("0", "formula", "", "")
    assert second["shortfalls"] == "P99 TTFT 0.52 s is above 500ms"
    assert float(second["ttft"]) == 0.52
