"""Durable executions on Hayhooks: watched, decided, recorded, and run by ourselves.

`client` asks servers and knows no `hayhooks`; the rest runs where it is installed.
"""
