from __future__ import annotations

import pytest

from fleettui.workloads.formats.azure import FORMAT

HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"


@pytest.mark.parametrize("zipped", [False, True])
def test_reads_crlf_and_seven_digit_fractions(write, zipped):
    path = write(
        HEADER + "2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8\r\n", zipped=zipped
    )
    (chunk,) = FORMAT.read(path)
    assert chunk.arrivals is not None
    assert chunk.arrivals[0] == pytest.approx(1_700_158_623.97996, abs=1e-6)
    assert chunk.arrivals[1] - chunk.arrivals[0] == pytest.approx(0.052, abs=1e-6)
    assert (chunk.prompt.tolist(), chunk.output.tolist()) == ([4808, 3180], [10, 8])
