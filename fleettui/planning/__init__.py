"""Use cases: the only place where engines and store meet.

A question's way from the command line to the screen; the app joins it at the texts, with its draft:

    text    options, a file, settings      cli.options, reports.question.question_file, planning.settings
            the stronger wins, key by key  reports.question.conversion: merge
    value   a Question                     reports.question.conversion: parse reads each text by its key
    wire    plain JSON, one line           planning.make_plan sends it, planning.protocol writes it
    value   a Question, in a worker        planning.tasks.plan reads it, once, and asks the optimizer
    wire    the fields of a NewPlan        planning.tasks.plan, back over the pipe
    value   a NewPlan                      planning.make_plan reads it, once, and gives it to the store as it is
    row     a plan, its candidates, a job  store.plans and store.convert, the one door
            evidence, row by row           planning.run_job and planning.prove, with tasks of the same worker
    value   an Answer                      store.convert reads the finished plan
    table   columns, lines, pictures       reports, the same for terminal, app, files and JSON

`simulate` goes the same way from a FleetSketch, `verify` and a resumed job join it at the row, `rerun` and `check` go
it again and compare. Each conversion is one that a pipe, the file or the reader's eye demands.

What is alike, and how it differs:

- domain.scenario: a Question is what was asked; a Scenario is it with the digests of what it was answered from. A
  Demand is what was said of the traffic; a DerivedDemand the requests per second that it comes to.
- domain.new_plan: a NewPlan is not in the store yet. An Answer is what is known of a plan, kept or not. The Kept of
  `kept_inputs` is a finished plan with its hardware and the formulas' own choice, to be answered again; the Kept of
  `reports.report` is one with its studies, to be told.
- domain.fleet: a FleetSketch leaves open what a person need not say; a Fleet is whole.
- planning.tasks: a Case is one way in which prompts and outputs may pair; a Scene is a case at a rate, on hardware.
- planning.prove: a PreparedFleet is a fleet made ready to be simulated; a Trial (`smallest_fleet`) one that was.
- domain.study: a Study is what was found beyond a plan, as tables; a report is a page about a plan, and is not kept.
"""
