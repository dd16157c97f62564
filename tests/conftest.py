"""For all tests."""

import gc
import signal


def pytest_configure() -> None:
    """Let interrupt and hang-up mean what they usually do: whoever runs the tests may ignore them, as nohup does, and
    what a test starts would inherit that.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Look through what the tests leave behind, not through the thousands of tests themselves, and less often."""
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
