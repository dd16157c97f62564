"""Many machines: the same tasks on the workers of a Dask cluster, beside the worker processes of this machine.

Only these modules know Dask, the extra `cluster`, and nothing of them is imported before a cluster is asked for:
`address` reads what is asked, `pool` is what the use cases run their tasks in, `remote` what a worker of the cluster
runs, `program` how the two know that they are the same program, `local` a cluster on this machine, to try.
"""
