import pytest

from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.reports.question import conversion
from fleettui.reports.question.keys import BY_NAME

KEY = BY_NAME["compressible"]
MEASURED = MeasuredShare(study="e40e", share=0.7516, low=0.6977, high=0.7959, split=4096, gamma=1.5, seconds=0.00315)


@pytest.mark.parametrize(("text", "value"), [("75%", 0.75), ("0.75", 0.75), ("1", 1.0), ("0", 0.0)])
def test_a_share_is_read_as_ever(text: str, value: float) -> None:
    assert KEY.read(text, None) == value


@pytest.mark.parametrize("text", ["e40e", "1234", "last", "last~2", "01KBAAAAAAAAAAAAAAAAAAAAAA"])
def test_a_handle_names_a_study_that_is_still_to_be_looked_up(text: str) -> None:
    assert KEY.read(text, None) == MeasuredShare(study=text)
    assert KEY.write(KEY.read(text, None)) == text


HALF = "75% measured by e40e: x to y, split 1, gamma 1, P99 1s"


@pytest.mark.parametrize("text", ["110%", "zzzz", "75% measured by", HALF])
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        KEY.read(text, "--compressible")


def test_a_measured_share_is_written_whole_and_a_question_keeps_it() -> None:
    assert KEY.read(KEY.write(MEASURED), None) == MEASURED
    asked = Question(workload="x", slo=Slo(ttft=1.0), gamma=(1.0, 2.0), compressible=0.7516, compressor=MEASURED)
    texts = conversion.given_at(conversion.to_texts(asked), "here")
    assert conversion.to_question(conversion.parse(texts)).compressor == MEASURED
    assert conversion.to_question(conversion.parse(texts)).compressible == 0.7516
    typed = conversion.parse({**texts, "compressible": conversion.Given("75%", "here")})
    assert conversion.to_question(typed).compressor is None
