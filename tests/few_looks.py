"""What a given fleet has to spare: judged by formula, but in tests marked `looks`, which simulate it too."""

from __future__ import annotations


class Looks:
    """Whether other sizes and rates of a given fleet are simulated."""

    def __init__(self) -> None:
        self.taken = False

    def install(self) -> None:
        """Let what is simulated be as `taken` says from now on."""
        from fleettui.planning import fleet_limits, rounds

        def takes_minutes(stage: rounds.Staged, most: int | None = None) -> bool:
            return not self.taken or rounds.takes_minutes(stage, most)

        vars(fleet_limits)["takes_minutes"] = takes_minutes


LOOKS = Looks()
