"""Taking secrets and personal data out of runs; the report of what was taken."""
