"""The runs that tests fit laws to: of one server, five pairs of lengths, few and many clients."""

from fleettui.domain.validation import MeasuredPoint

POINT = MeasuredPoint(
    line=2,
    model="llama-3.1-70b",
    gpu="h100",
    dtype="fp8",
    engine="vllm",
    tp=4,
    prompt_tokens=1024,
    output_tokens=256,
    concurrency=1,
    ttft=1.0,
    tpot=1.0,
)
LENGTHS = ((512, 128), (1024, 256), (2048, 512), (256, 512), (1024, 1024))
CLIENTS = (1, 2, 1, 2, 1, 64, 1, 32, 8, 64)
TEN = tuple((*LENGTHS[at % 5], clients) for at, clients in enumerate(CLIENTS))
"""(prompt tokens, output tokens, clients) of ten runs."""
