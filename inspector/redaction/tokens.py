"""Keys and tokens that are known by how they begin: their makers mark them."""

from __future__ import annotations

import re

# In the table: %A a letter or digit, %W also - and _, %H a hexadecimal digit.
_SIGNS = {b"%A": rb"[A-Za-z0-9]", b"%W": rb"[A-Za-z0-9_-]", b"%H": rb"[0-9a-fA-F]"}

# Rule, and what its tokens look like. The first that fits counts.
_TOKENS: tuple[tuple[str, bytes], ...] = (
    ("jwt", rb"ey[JI]%W{8,}\.ey[JI]?%W{6,}\.?%W*(?:\.%W+)*"),
    ("aws-key", rb"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA)[A-Z0-9]{16}(?!%A)"),
    ("aws-key", rb"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    ("aws-key", rb"bedrock-api-key-[A-Za-z0-9+/=]{40,}"),
    ("github-token", rb"gh[pousr]_%A{30,}"),
    ("github-token", rb"github_pat_[A-Za-z0-9_]{22,}"),
    ("gitlab-token", rb"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.=-]{18,}"),
    ("gitlab-token", rb"GR1348941%W{20,}"),
    ("slack-token", rb"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    ("slack-token", rb"xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    ("slack-token", rb"xwfp-[A-Za-z0-9-]{20,}"),
    ("google-key", rb"AIza%W{33,}"),
    ("google-key", rb"GOCSPX-%W{20,}"),
    ("google-key", rb"ya29\.%W{20,}"),
    ("google-key", rb"1//0%W{30,}"),
    ("google-key", rb"AQ\.Ab%W{30,}"),
    (
        "llm-key",
        (
            rb"sk-(?:proj|svcacct|admin|None|ant-(?:api|admin|oat)[0-9]{2}|or-v1|lf|cp)"
            rb"-%W{16,}"
        ),
    ),
    ("llm-key", rb"pk-lf-%W{16,}"),
    ("llm-key", rb"sk_[a-f0-9]{32,}"),
    ("llm-key", rb"sk-%A{20,}(?:-%A+)*"),
    ("llm-key", rb"(?:hf|api_org)_%A{30,}"),
    ("llm-key", rb"gsk_%A{32,}"),
    ("llm-key", rb"r8_%A{30,}"),
    ("llm-key", rb"pplx-%A{32,}"),
    ("llm-key", rb"xai-%A{40,}"),
    ("llm-key", rb"nvapi-%W{40,}"),
    ("llm-key", rb"tvly-(?:dev-|prod-)?%A{20,}"),
    ("llm-key", rb"jina_%W{30,}"),
    ("llm-key", rb"pa-%W{40,}"),
    ("llm-key", rb"pcsk_%W{40,}"),
    ("llm-key", rb"lsv2_(?:pt|sk)_%A{30,}(?:_%A+)?"),
    ("llm-key", rb"fw_%A{20,}"),
    ("llm-key", rb"csk-%A{30,}"),
    ("payment-key", rb"[srp]k_(?:live|test|prod)_%A{16,}"),
    ("payment-key", rb"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    ("payment-key", rb"sq0[a-z]{3}-%W{22,}"),
    ("payment-key", rb"EAAA[A-Za-z0-9_-]{56,}"),
    ("payment-key", rb"rzp_(?:live|test)_%A{14,}"),
    ("payment-key", rb"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$%H{32}"),
    ("azure-key", rb"[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("service-key", rb"npm_%A{30,}"),
    ("service-key", rb"pypi-AgE%W{50,}"),
    ("service-key", rb"rubygems_%H{40,}"),
    ("service-key", rb"cio%A{32}(?!%A)"),
    ("service-key", rb"dckr_(?:pat|oat)_%W{20,}"),
    ("service-key", rb"oy2%A{43}"),
    ("service-key", rb"SG\.%W{16,}\.%W{16,}"),
    ("service-key", rb"key-%H{32}(?![0-9a-zA-Z])"),
    ("service-key", rb"(?:AC|SK)[0-9a-f]{32}(?![0-9a-zA-Z])"),
    ("service-key", rb"xkeysib-%H{60,}-%A+"),
    ("service-key", rb"%H{32}-us[0-9]{1,2}(?![0-9a-zA-Z])"),
    ("service-key", rb"shp(?:at|ca|pa|ss)_%H{30,}"),
    ("service-key", rb"EAA[CB]%A{60,}"),
    ("service-key", rb"AAAAAAAAAA[A-Za-z0-9%]{60,}"),
    ("service-key", rb"dop_v1_%H{60,}"),
    ("service-key", rb"do[or]_v1_%H{60,}"),
    ("service-key", rb"dapi%H{32}(?:-[0-9])?"),
    ("service-key", rb"HRKU-%W{30,}"),
    ("service-key", rb"nfp_%A{30,}"),
    ("service-key", rb"(?:fm[12]_|fo1_)[A-Za-z0-9+/_=,-]{30,}"),
    ("service-key", rb"sbp_%H{40}"),
    ("service-key", rb"sb_secret_%W{20,}"),
    ("service-key", rb"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}"),
    ("service-key", rb"v1\.0-%H{24}-%H{100,}"),
    ("service-key", rb"hv[sbr]\.%W{20,}"),
    ("service-key", rb"%A{14}\.atlasv1\.%W{60,}"),
    ("service-key", rb"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?%A{40,}"),
    ("service-key", rb"ops_ey%W{40,}"),
    ("service-key", rb"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("service-key", rb"RW(?:RTY0|QAAE)Iy[A-Za-z0-9+/]{200,}={0,2}"),  # of minisign
    ("service-key", rb"lin_(?:api|oauth)_%A{32,}"),
    ("service-key", rb"ntn_%A{40,}"),
    ("service-key", rb"secret_%A{43}"),
    ("service-key", rb"PMAK-%H{24}-%H{34}"),
    ("service-key", rb"fig[dour]_%W{38,}"),
    ("service-key", rb"pat%A{14}\.%H{60,}"),
    ("service-key", rb"ATATT3%W{60,}=?%A*"),
    ("service-key", rb"ATBB%A{24,}"),
    ("service-key", rb"ATCTT3%W{60,}"),
    ("service-key", rb"sntrys_[A-Za-z0-9+/=_-]{40,}"),
    ("service-key", rb"sntryu_%H{60,}"),
    ("service-key", rb"NRAK-[A-Z0-9]{24,}"),
    ("service-key", rb"NRJS-%H{19}"),
    ("service-key", rb"glc_[A-Za-z0-9+/]{32,}={0,3}"),
    ("service-key", rb"glsa_%A{32}_%H{8}"),
    ("service-key", rb"phc_%A{40,}"),
    ("service-key", rb"phx_%A{40,}"),
    ("service-key", rb"CCIPAT_%A{20,}_%H{40}"),
    ("service-key", rb"bkua_%H{40}"),
    ("service-key", rb"LTAI%A{12,24}"),
    ("service-key", rb"AKID%A{32}"),
    ("service-key", rb"AKLT%W{20,}"),
    ("service-key", rb"sl\.(?:u\.)?%W{60,}"),
    ("service-key", rb"p8e-%A{32}"),
    ("service-key", rb"t1\.[A-Z0-9a-z_-]+=*\.[A-Z0-9a-z_-]{86}"),
    ("service-key", rb"y[0-3]_%W{50,}"),
    ("service-key", rb"eyJrIjoi%W{30,}"),
    ("service-key", rb"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}"),
    ("service-key", rb"mfa\.%W{80,}"),
)


def _whole() -> tuple[re.Pattern[bytes], dict[str, str]]:
    """Return one pattern of all, and which rule each of its groups is of."""
    rules: dict[str, str] = {}
    groups: dict[str, list[bytes]] = {}
    for rule, pattern in _TOKENS:
        for sign, stands_for in _SIGNS.items():
            pattern = pattern.replace(sign, stands_for)  # noqa: PLW2901 - spelt out
        # Neighbours of one rule share a group: a group costs time.
        name = f"t{len(groups) - 1}"
        if rules.get(name) != rule:
            name = f"t{len(groups)}"
            rules[name] = rule
        groups.setdefault(name, []).append(pattern)
    parts = (b"(?P<%s>%s)" % (name.encode(), b"|".join(each)) for name, each in groups.items())
    return re.compile(rb"(?<![A-Za-z0-9])(?:" + b"|".join(parts) + rb")"), rules


TOKEN, RULE_OF_GROUP = _whole()

# Such tokens have a colon or a slash in them, so that no run of their signs is whole.
TELEGRAM = re.compile(rb"(?<![0-9A-Za-z])[0-9]{8,10}:A[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])")
HOOK = re.compile(
    rb"(?:hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,}"
    rb"|discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]{15,}/[A-Za-z0-9_-]{40,}"
    rb"|[a-z0-9-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/_-]{40,}"
    rb"|hooks\.zapier\.com/hooks/catch/[0-9]+/[A-Za-z0-9]+"
    rb"|chat\.googleapis\.com/v1/spaces/[^\s\"'<>\\]{20,})"
)
PRIVATE_KEY = re.compile(
    rb"-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)"
    rb"?-----(?:[^\x00]{0,20000}?-----END[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rb"|[A-Za-z0-9+/=\s\\:,.-]{0,20000})",
    re.DOTALL,
)
KEY_BEGINS = (b"-----BEGIN", b"Private-Lines")
SSH_BEGINS = b"b3BlbnNzaC1rZXktdjE"
SSH_BODY = re.compile(SSH_BEGINS + rb"[A-Za-z0-9+/=\s\\]{40,}")
PUTTY = re.compile(rb"Private-Lines: [0-9]+\s+(?:[A-Za-z0-9+/=]+\s+){1,200}")
