from fleettui.reports.check_markdown import check_markdown
from fleettui.reports.findings import of_maximum, of_verdict


def test_a_pull_request_has_head_table_reasons_and_notes() -> None:
    found = [of_verdict("pass", ""), of_maximum(165.2, 160.0)]
    text = check_markdown("DOES NOT HOLD", found, why=["slo_ttft: 1s -> 2s"], notes=["kept as 9f3c"])
    assert text.splitlines() == [
        "### fleettui check: DOES NOT HOLD",
        "",
        "| tested | limit | now | holds |",
        "| --- | --- | --- | --- |",
        "| verdict | pass | pass | yes |",
        "| cost, at most | $160.00/h | $165.20/h | no: it costs $165.20/h, $5.20/h above the maximum of $160.00/h |",
        "",
        "What changed:",
        "",
        "- slo\\_ttft: 1s -> 2s",
        "",
        "> kept as 9f3c",
    ]
    held = check_markdown("holds", found[:1], why=["rate: 2/s -> 1/s"], notes=[])
    assert "It holds although:" in held
