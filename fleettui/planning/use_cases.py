"""Every use case, once: its words for the help of the command line and the palette of the app, and who answers it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCase:
    """Something that a person can do here.

    `name` is also its command, without the program; `help` says what comes of it, in half a line; `function` is who
    does it ("module:function"), and `with_it` what its front ends call beside that. `view` is the name of the view
    in the app where it belongs, None where it belongs to none.
    """

    name: str
    help: str
    function: str
    with_it: tuple[str, ...] = ()
    view: str | None = None

    @property
    def command(self) -> str:
        """The command of the command line that it is, or is a part of."""
        return self.name.split(maxsplit=1)[0]


GROUPS: dict[str, str] = {
    "jobs": "work that goes on or was cut short",
    "workload": "what arrives",
    "gpu": "the GPUs to plan with",
    "model": "the models to plan with",
    "profile": "what one replica does",
    "config": "settings and where they come from",
}
"""What the commands that hold several use cases are about."""

_BROWSE, _CATALOGUE, _JOBS, _LABELS, _PROFILES, _SETTINGS, _WORKLOADS = (
    f"fleettui.planning.{name}"
    for name in ("kept_plans", "catalogue", "jobs", "labels", "profiles", "settings", "workloads")
)
_STUDIES = "fleettui.planning.studies"
_QUESTION_OF = f"{_BROWSE}:question_of"
_WHATIF = "fleettui.planning.whatif"

USE_CASES: tuple[UseCase, ...] = (
    UseCase(
        name="plan",
        help="the cheapest fleet that holds every limit, and why",
        function="fleettui.planning.make_plan:make_plan",
        with_it=("fleettui.planning.synchronous:plan", "fleettui.planning.joint:make_joint_plan"),
        view="fleet",
    ),
    UseCase(
        name="simulate",
        help="what a fleet of your own does under a workload",
        function="fleettui.planning.simulate:simulate",
        with_it=("fleettui.planning.fleet_files:read_fleet", "fleettui.planning.fleet_files:fleet_in"),
        view="fleet",
    ),
    UseCase(
        name="verify",
        help="more proof of a kept plan, by simulation",
        function="fleettui.planning.verify:verify",
        with_it=(_QUESTION_OF,),
        view="fleet",
    ),
    UseCase(
        name="open",
        help="the app, at a plan, a trace or a question file",
        function="fleettui.planning.opening:opening_of",
        with_it=("fleettui.planning.example:example",),
    ),
    UseCase(
        name="show",
        help="a kept plan or study, as its command printed it",
        function=f"{_BROWSE}:show_plan",
        with_it=(
            _QUESTION_OF,
            f"{_BROWSE}:is_finished",
            "fleettui.planning.ancestry:family",
            f"{_STUDIES}:is_study",
            f"{_STUDIES}:show_study",
        ),
        view="fleet",
    ),
    UseCase(
        name="why",
        help="the reason behind each number of a kept plan",
        function="fleettui.planning.explain_plan:explain_plan",
        view="fleet",
    ),
    UseCase(
        name="whatif",
        help="a kept plan at other inputs: sweeps, steps, growth",
        function=f"{_WHATIF}:sweep",
        with_it=(
            f"{_WHATIF}:step_table",
            f"{_WHATIF}:growth",
            f"{_WHATIF}:sensitivity",
            "fleettui.planning.whatif_request:work_of",
            "fleettui.planning.whatif_request:read_line",
        ),
        view="fleet",
    ),
    UseCase(
        name="pareto",
        help="what cost and latency trade: the best by each, the front",
        function="fleettui.planning.pareto:pareto",
        view="fleet",
    ),
    UseCase(
        name="check",
        help="does a question's answer still hold? exit 3 and why, if not",
        function="fleettui.planning.check:check",
        with_it=("fleettui.planning.check_joint:check_joint",),
        view="fleet",
    ),
    UseCase(
        name="rerun",
        help="a kept plan run again: the same to the byte, or what differs",
        function="fleettui.planning.rerun:rerun",
        view="fleet",
    ),
    UseCase(
        name="compare",
        help="kept plans side by side: what is better, what is proven",
        function="fleettui.planning.compare:compare_plans",
        with_it=(
            "fleettui.planning.compare:compared",
            "fleettui.planning.compare:spread_of",
            "fleettui.planning.compare:compare_studies",
        ),
        view="compare",
    ),
    UseCase(
        name="diff",
        help="what differs between two kept plans, and what caused it",
        function="fleettui.planning.causes:causes",
        view="compare",
    ),
    UseCase(
        name="report",
        help="a kept plan on one page, for whoever decides",
        function="fleettui.planning.report:report_plan",
        with_it=("fleettui.planning.report:kept_plan", "fleettui.planning.report:written"),
        view="fleet",
    ),
    UseCase(
        name="export",
        help="a kept plan as Markdown, CSV, JSON, YAML or a picture",
        function="fleettui.planning.export:export",
        view="fleet",
    ),
    UseCase(
        name="backtest",
        help="predicted against seen in production, and what explains it",
        function="fleettui.planning.backtest:backtest",
        with_it=("fleettui.planning.backtest:subject",),
        view="fleet",
    ),
    UseCase(
        name="restate",
        help="the kept plans that today's engine and catalogue change",
        function="fleettui.planning.restate:restate",
        view="plans",
    ),
    UseCase(
        name="list",
        help="the kept plans, or studies, newest first",
        function=f"{_BROWSE}:list_plans",
        with_it=(
            f"{_BROWSE}:count_plans",
            f"{_STUDIES}:list_studies",
            f"{_STUDIES}:count_studies",
            f"{_STUDIES}:studies_around",
        ),
        view="plans",
    ),
    UseCase(name="note", help="a few words kept with a plan", function=f"{_LABELS}:note_plan", view="plans"),
    UseCase(
        name="tag",
        help="words by which plans are found again",
        function=f"{_LABELS}:tag_plan",
        with_it=(f"{_LABELS}:untag_plan",),
        view="plans",
    ),
    UseCase(name="name", help="what a plan is called", function=f"{_LABELS}:name_plan", view="plans"),
    UseCase(name="archive", help="a plan put away, out of the list", function=f"{_LABELS}:archive_plan", view="plans"),
    UseCase(
        name="jobs list",
        help="the jobs, newest first",
        function=f"{_JOBS}:list_jobs",
        with_it=(f"{_BROWSE}:plan_handle", f"{_JOBS}:count_jobs"),
        view="jobs",
    ),
    UseCase(
        name="jobs cancel",
        help="a job stopped; what it has finished is kept",
        function=f"{_JOBS}:cancel_job",
        view="jobs",
    ),
    UseCase(
        name="jobs resume",
        help="a job that was cut short, taken up again",
        function=f"{_JOBS}:resume_job",
        with_it=(_QUESTION_OF,),
        view="jobs",
    ),
    UseCase(
        name="workload list", help="the workloads that are shipped", function=f"{_WORKLOADS}:shipped", view="workload"
    ),
    UseCase(
        name="workload show",
        help="a workload's lengths, arrivals and origin",
        function=f"{_WORKLOADS}:show_workload",
        view="workload",
    ),
    UseCase(
        name="workload build",
        help="one length distribution of one or more traces",
        function=f"{_WORKLOADS}:build_workload",
        view="workload",
    ),
    UseCase(
        name="workload from-metrics",
        help="the workload of a vLLM server, from two scrapes of it",
        function=f"{_WORKLOADS}:measure_workload",
        view="workload",
    ),
    UseCase(name="gpu list", help="the known GPUs", function=f"{_CATALOGUE}:gpus", view="fleet"),
    UseCase(
        name="gpu show", help="one GPU, with the source of each figure", function=f"{_CATALOGUE}:gpu", view="fleet"
    ),
    UseCase(name="model list", help="the known models", function=f"{_CATALOGUE}:models", view="fleet"),
    UseCase(
        name="model show",
        help="one model, with the source of each figure",
        function=f"{_CATALOGUE}:model",
        view="fleet",
    ),
    UseCase(
        name="profile show",
        help="what one replica does, with the arithmetic",
        function=f"{_PROFILES}:show_profile",
        view="fleet",
    ),
    UseCase(
        name="profile validate",
        help="predicted against measured, from a CSV file of runs",
        function=f"{_PROFILES}:validate",
        view="fleet",
    ),
    UseCase(
        name="published",
        help="the papers' tables: printed, by their method, by ours",
        function="fleettui.planning.published:publish",
        view="compare",
    ),
    UseCase(
        name="doctor", help="is everything here that the program needs?", function="fleettui.planning.doctor:examine"
    ),
    UseCase(name="config show", help="each setting with where it comes from", function=f"{_SETTINGS}:settings"),
    UseCase(name="config path", help="where the configuration file lies", function=f"{_SETTINGS}:config_path"),
)


def command_helps() -> dict[str, str]:
    """Return the help line of every command, in the order of the table; one that holds several names them.

    >>> command_helps()["gpu"]
    'the GPUs to plan with: list, show'
    """
    helps: dict[str, str] = {}
    for case in USE_CASES:
        names = [one.name.partition(" ")[2] for one in USE_CASES if one.command == case.command]
        helps[case.command] = f"{GROUPS[case.command]}: {', '.join(names)}" if case.command in GROUPS else case.help
    return helps


def help_of(name: str) -> str:
    """Return the help line of the use case called `name`."""
    return next(case.help for case in USE_CASES if case.name == name)
