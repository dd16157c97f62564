from __future__ import annotations

import pytest

from fleettui.errors import InputError
from fleettui.workloads.formats.cdf import FORMAT


@pytest.mark.parametrize("zipped", [False, True])
def test_reads_a_bare_list(write, zipped):
    lengths = FORMAT.read(write("[[100, 0.5], [200, 1]]", zipped=zipped), 0.2, None).slices[0].lengths
    assert (lengths.kind, lengths.cdf, lengths.output_share) == ("total", ((100.0, 0.5), (200.0, 1.0)), 0.2)


def test_bytes_that_are_no_text_are_refused(write):
    with pytest.raises(InputError, match="is not text"):
        FORMAT.read(write(b"[[1, 1]]\xff\xff"), None, None)
