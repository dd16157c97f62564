from fleettui.hardware import catalog
from fleettui.reports.engine_text import engine_text, engines_table
from fleettui.reports.table import render

GPUS = tuple(map(catalog.gpu, ("a100", "h100", "h200")))


def test_gpus_with_the_same_settings_are_told_together() -> None:
    lines = render(engines_table(catalog.engines_on(GPUS)), 120).splitlines()
    row = next(line for line in lines if line.startswith("vllm"))
    assert row.endswith("2,048 and 256 on a100; 8,192 and 1,024 on h100 h200")


def test_what_an_engine_never_adds_is_left_out() -> None:
    assert "with prompts  " in engine_text(catalog.engine("vllm"), GPUS)
    assert "17 us a layer, 12 us more of those with experts" in engine_text(catalog.engine("vllm"), GPUS)
    assert "with experts" not in engine_text(catalog.engine("sglang"), GPUS)
    assert "with prompts" not in engine_text(catalog.engine("sglang"), GPUS)


def test_every_level_is_told_with_its_cache() -> None:
    told = engine_text(catalog.engine("trtllm"), GPUS, 160)
    assert "benchmark     1,536 and 2,048 on a100; 1,536 and 2,048 with an fp8 cache on h100 h200" in told
    assert "tuned         2,048 and 512 on a100 h100 h200" in told


def test_what_an_engine_has_of_its_own_on_some_gpus_is_told() -> None:
    told = " ".join(engine_text(catalog.engine("trtllm"), [catalog.gpu("h100")], 80).split())
    assert "latent 2.9 ms a layer at least for prompts on h100 h200; 1.4 ms a layer at least for prompts on" in told
    assert "of their own 16 us a layer, 8.0 us a sequence, 30 ms a request on b200 gb200 b300 gb300" in told
    amd = " ".join(engine_text(catalog.engine("sglang"), [catalog.gpu("h100")], 80).split())
    assert "0.26 ms more of a layer, 5.0 ms a layer at least for prompts on mi300x mi325x" in amd
