from fleettui.cli.typer_app import new_app


def test_help_is_plain_and_no_shell_file_is_offered() -> None:
    made = new_app("x", "help", "epilog")
    assert made.rich_markup_mode is None
    assert made.pretty_exceptions_enable is False
    assert (made.info.name, made.info.help, made.info.epilog) == ("x", "help", "epilog")
