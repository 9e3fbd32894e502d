"""Durable executions on Hayhooks: watched, decided, recorded, and run by ourselves.

`client` asks servers and knows no `hayhooks`; `recorder`, `store` and `a2a` run where it is installed.
"""
