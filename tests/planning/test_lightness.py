"""The use cases run in the program's own process, which must start at once and stay light."""

import subprocess
import sys
from pathlib import Path

import fleettui.planning

FOLDER = Path(fleettui.planning.__file__).parent
USE_CASES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "worker"))
HEAVY = ("numpy", "scipy", "numba", "sqlmodel", "sqlalchemy", "textual", "fleettui.optimize", "fleettui.queueing")


def _loaded(code: str) -> str:
    check = f"import sys; {code}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    found = subprocess.run((sys.executable, "-c", check), capture_output=True, text=True, check=True, timeout=60)
    return found.stdout.strip()


def test_no_use_case_imports_anything_heavy() -> None:
    """One after another in one process, which is to have loaded nothing heavy after any of them."""
    code = (
        f"import sys, importlib\nfor name in {USE_CASES}:\n    importlib.import_module(f'fleettui.planning.{{name}}')\n"
        f"    found = set({HEAVY!r}) & set(sys.modules)\n    if found: sys.exit(f'{{name}} loads {{found}}')"
    )
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=False, timeout=60)
    assert (found.returncode, found.stderr) == (0, "")


def test_reading_the_catalogue_and_the_shipped_workloads_loads_nothing_heavy() -> None:
    code = (
        "from fleettui.hardware import catalog; from fleettui.planning import workloads; "
        "catalog.gpus(); catalog.models(); workloads.shipped()"
    )
    assert _loaded(code) == ""


def test_the_help_of_all_commands_loads_no_questions() -> None:
    """It names what studies declare; what they work with is imported when one is called."""
    code = "from fleettui.planning.use_cases import command_helps; import sys; command_helps(); print(*sys.modules)"
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert "fleettui.planning.studies.compress" in found.stdout.split()
    assert not {"asyncio", "fleettui.domain.scenario"} & {*found.stdout.split()}


def test_a_plan_by_formula_loads_nothing_of_proofs_and_studies(tmp_path: Path) -> None:
    """What a plan takes only where it is proven, or where more is asked of it, is loaded then."""
    code = (
        "import sys; from fleettui.__main__ import main; sys.argv = ['fleettui', 'plan', '--prompt', 'p50=900,p99=8k', "
        "'--output', 'p50=200,p99=1k', '--rate', '1/s', '--slo-ttft', '1s', '--gpu', 'h100', '--no-verify']; "
        "code = main(); print(code, *sys.modules, file=sys.stderr)"
    )
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=False, timeout=60)
    code, *modules = found.stderr.split()
    assert code == "0"
    not_needed = ("planning.studies", "planning.run_job", "planning.fleet_limits", "cli.joint", "domain.backtest")
    assert [one for one in modules if one.removeprefix("fleettui.").startswith(not_needed)] == []
