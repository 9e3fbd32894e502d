"""Durable executions on Hayhooks servers, asked for over HTTP. Knows neither `hayhooks` nor Haystack."""
