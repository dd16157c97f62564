import subprocess
import sys

from fleettui.hardware.what_was_measured import Measured, measured_of


def test_what_was_measured_of_a_gpu() -> None:
    assert measured_of("mi300x") == Measured(engines=(), models=("deepseek-v3",))
    assert measured_of("gaudi-3") == Measured(engines=(), models=())
    assert measured_of("l40s").models == ()
    assert "llama-3.1-70b" in measured_of("h200").models


def test_it_is_said_without_loading_arrays() -> None:
    code = "import fleettui.hardware.what_was_measured as w, sys; w.measured_of('h100'); print('numpy' in sys.modules)"
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == "False"
