"""Long-running agents over the Agent2Agent protocol: ours served, anybody's read.

`serving` offers durable executions as tasks (it needs the extra `a2a`; Hayhooks 2.1 offers none
of its kind and may one day: `tasks.py` alone knows what an execution is as a task, so that
Hayhooks' own can take its place). `client` and `as_run` read any A2A server and need nothing.
"""
