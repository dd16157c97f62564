import json

from fleettui.compression.prompts import Line
from fleettui.compression.tokens import ByteCounter
from fleettui.compression.trials import Bench
from fleettui.domain.borderline import Band
from fleettui.domain.compression_trial import Trials
from fleettui.domain.compressor_settings import Settings

BAND = Band(split=1024, gamma=1.5)


def bench() -> Bench:
    return Bench(band=BAND, counter=ByteCounter(), settings=Settings())


def made(first: int, count: int, *, of: int = 16, seed: int = 1) -> Trials:
    one = bench()
    one.make(first, count, of, seed=seed, output=128, told=lambda: None)
    return one.trials()


def test_made_prompts_come_out_the_same_however_they_are_parted() -> None:
    whole, parts = made(0, 16), Trials.joined([made(0, 7), made(7, 9)])
    assert whole.digest == parts.digest != made(0, 16, seed=2).digest
    assert [(one.prompt, one.kept, one.cosine) for one in whole.tried] == [
        (one.prompt, one.kept, one.cosine) for one in parts.tried
    ]
    assert len(whole.tried) == 16


def test_prose_and_passages_fit_and_code_does_not() -> None:
    for one in made(0, 16).tried:
        assert (one.reason == "code") == (one.category == "code")
        assert one.kept + one.output <= (BAND.split if not one.reason else BAND.up_to)
        assert 0.0 <= one.rouge_recall <= one.cosine <= 1.0
        assert one.seconds > 0.0


def test_lines_are_sorted_by_their_length_and_told_of() -> None:
    told, one = [], bench()
    sizes = {"short": 100, "borderline": 1100, "beyond": 2000}
    lines = [{"prompt": "One word follows another. " * (size * 10 // 53), "max_tokens": 100} for size in sizes.values()]
    lines.append({"prompt": "One word follows another. " * 40, "max_tokens": 1200})
    data = [*(json.dumps(line).encode() for line in lines), b"{"]
    one.read(map(Line, data), None, lambda: told.append(1))
    found = one.trials()
    assert (found.short, len(found.tried), found.beyond, found.skipped) == (1, 2, 1, {"not JSON": 1})
    assert [trial.reason for trial in found.tried] == ["", "no room"]
    assert len(told) == 5


def test_every_made_prompt_is_borderline_at_every_size() -> None:
    for band in (BAND, Band(split=700, gamma=1.4), Band(split=2048, gamma=2.0)):
        one = Bench(band=band, counter=ByteCounter(), settings=Settings())
        one.make(0, 12, 12, seed=7, output=128, told=lambda: None)
        assert (len(one.tried), one.short, one.beyond) == (12, 0, 0)
