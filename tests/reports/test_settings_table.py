from fleettui.planning.settings import Setting
from fleettui.reports.settings_table import settings_table
from fleettui.reports.table import render


def test_a_row_for_each_setting_with_its_source() -> None:
    settings = (
        Setting(name="model", text="qwen3-32b", source="environment", where="FLEETTUI_MODEL"),
        Setting(name="tp", text="auto", source="default", where=""),
        Setting(name="db", text=None, source="default", where=""),
    )
    assert render(settings_table(settings)).split("\n") == [
        "setting  value      from",
        "model    qwen3-32b  FLEETTUI_MODEL",
        "tp       auto       default",
        "db       -          default",
    ]
