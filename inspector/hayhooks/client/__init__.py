"""Durable executions on Hayhooks servers, asked for over HTTP, without Hayhooks or Haystack."""
