"""Several models that are asked for at once, with one's own settings where nothing is said."""

from __future__ import annotations

from fleettui.domain.joint import JointQuestion
from fleettui.errors import Gathered
from fleettui.planning import settings
from fleettui.reports.question import joint_file
from fleettui.reports.question.joint_file import JointTexts


def asked_together(found: JointTexts, errors: Gathered | None = None) -> JointQuestion:
    """Return the joint question of texts; raises InputError for what does not read, `errors` of before it first."""
    own = settings.question_texts(settings.settings())
    return joint_file.to_joint(found, typed={}, own=own, errors=errors)
