"""A worker's arrays are made of memory that the arrays before them left free, whatever Dask has set for its process."""

import os
import platform
import subprocess
import sys

import pytest

ARRAYS = """
import resource, sys, threading
import numpy
from fleettui.planning.kept_memory import keep_memory

if sys.argv[1] == "kept":
    keep_memory()

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [numpy.ones(100_000 * size) for size in (5, 10, 20, 30, 30, 30)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def work():
    faults()
    print(faults())

thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


def page_faults(how: str) -> int:
    """Return how many pages a second set of arrays of 100 MB takes, in a thread of a process as Dask starts it."""
    environment = os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"}
    command = (sys.executable, "-c", ARRAYS, how)
    return int(subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have other means")
def test_the_arrays_of_a_second_run_take_no_new_pages() -> None:
    assert page_faults("kept") < page_faults("as it comes") / 10
