"""Use cases: the only place where engines and store meet.

A question's way from the command line to the screen; the app joins it at the texts, with its draft:

    text    options, a file, settings      cli.options, reports.question.question_file, planning.settings
            the stronger wins, key by key  reports.question.conversion: merge
    value   a Question                     reports.question.conversion: parse reads each text by its key
    wire    plain JSON, one line           planning.worker_pool makes it plain, planning.protocol writes it
    value   a Question, in a worker        planning.tasks: call reads it, planning.tasks.plan asks the optimizer
    wire    plain JSON, one line           planning.tasks: call makes the NewPlan plain
    value   a NewPlan                      planning.worker_pool reads it, planning.make_plan gives it to the store
    row     a plan, its candidates, a job  store.plans and store.convert, the one door
            evidence, row by row           planning.run_job and planning.prove, with tasks of the same worker
    value   an Answer                      store.convert reads the finished plan
    table   columns, lines, pictures       reports, the same for terminal, app, files and JSON

`simulate` goes the same way from a FleetSketch, `verify` and a resumed job join it at the row, `rerun` and `check` go
it again and compare. Each conversion is one that a pipe, the file or the reader's eye demands.

What is alike, and how it differs:

- domain.scenario: a Question is what was asked; a Scenario is it with the digests of what it was answered from. A
  Demand is what was said of the traffic; a DerivedDemand the requests per second that it comes to.
- domain.new_plan: a NewPlan is not in the store yet. An Answer is what is known of a plan, kept or not. A KeptPlan
  is a plan with all that it rests on; a FinishedPlan (`kept_inputs`) has the formulas' own choice too, to be answered
  again; the Kept of `reports.report` has its studies, to be told.
- domain.fleet: a FleetSketch leaves open what a person need not say; a Fleet is whole.
- planning.tasks: a Case is one way in which prompts and outputs may pair; a Scene is a case at a rate, on hardware,
  and a SceneSource (`prepared_fleet`) what a worker makes it of.
- planning.prepared_fleet: a PreparedFleet is a fleet made ready to be simulated; a Trial (`trial`) one that was; a
  Walk (`walk`) is a shape of fleet with its trials, a Known (`pool_facts`) what they showed of pools.
- domain.study: a Study is what was found beyond a plan, as tables; a report is a page about a plan, and is not kept.
"""
