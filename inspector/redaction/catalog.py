"""The rules there are: what they are called, and what they find."""

from __future__ import annotations

from typing import NamedTuple


class BuiltIn(NamedTuple):
    """One rule: `group` is `credentials` or `personal data`."""

    name: str
    group: str
    says: str


CREDENTIALS = "credentials"
PERSONAL = "personal data"

RULES: tuple[BuiltIn, ...] = (
    BuiltIn("private-key", CREDENTIALS, "private keys in PEM, OpenSSH and PuTTY form"),
    BuiltIn("jwt", CREDENTIALS, "signed web tokens"),
    BuiltIn("llm-key", CREDENTIALS, "keys of model providers and their tools"),
    BuiltIn("aws-key", CREDENTIALS, "AWS key ids and the secret keys beside them"),
    BuiltIn("google-key", CREDENTIALS, "Google API keys and OAuth tokens"),
    BuiltIn("azure-key", CREDENTIALS, "Azure client secrets"),
    BuiltIn("github-token", CREDENTIALS, "GitHub tokens"),
    BuiltIn("gitlab-token", CREDENTIALS, "GitLab tokens"),
    BuiltIn("slack-token", CREDENTIALS, "Slack tokens"),
    BuiltIn("payment-key", CREDENTIALS, "keys of payment providers"),
    BuiltIn("service-key", CREDENTIALS, "keys of other services that mark theirs"),
    BuiltIn("webhook", CREDENTIALS, "addresses of webhooks, which are secrets"),
    BuiltIn("password", CREDENTIALS, "what is called a password"),
    BuiltIn("secret", CREDENTIALS, "what is called a key, a token or a secret"),
    BuiltIn("authorization", CREDENTIALS, "authorization headers"),
    BuiltIn("cookie", CREDENTIALS, "cookies"),
    BuiltIn("url-credentials", CREDENTIALS, "passwords and signatures in addresses"),
    BuiltIn("environment-value", CREDENTIALS, "values of variables that hold secrets"),
    BuiltIn("email", PERSONAL, "mail addresses"),
    BuiltIn("phone", PERSONAL, "phone numbers"),
    BuiltIn("iban", PERSONAL, "bank accounts"),
    BuiltIn("card", PERSONAL, "payment cards and their check codes"),
    BuiltIn("ip", PERSONAL, "network addresses"),
    BuiltIn("national-id", PERSONAL, "numbers that states give to persons"),
    BuiltIn("name", PERSONAL, "names of persons, with presidio"),
    BuiltIn("address", PERSONAL, "places, with presidio"),
    BuiltIn("term", PERSONAL, "your terms"),
    BuiltIn("field", PERSONAL, "your fields"),
)
GROUPS = {rule.name: rule.group for rule in RULES}
RULES_VERSION = 1


def group_of(rule: str) -> str:
    """Return what a rule is for; rules of users count as personal data."""
    return GROUPS.get(rule, PERSONAL)
