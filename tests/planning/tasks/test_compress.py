from fleettui.domain.borderline import Band
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import compress


def test_without_a_tokenizers_file_bytes_are_counted() -> None:
    assert compress.counter(Context(), tokenizer=None) == "bytes per token, 10% margin"


def test_made_prompts_are_tried() -> None:
    found = compress.made(
        Context(), first=0, count=2, of=8, seed=1, band=Band(split=512, gamma=1.5), output=64, tokenizer=None
    )
    assert len(found.tried) + found.short + found.beyond == 2
