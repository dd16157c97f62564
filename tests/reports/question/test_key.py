from fleettui.reports.question.keys import key_named


def test_the_option_is_the_name_with_dashes() -> None:
    assert key_named("max_gpus").option == "--max-gpus"
