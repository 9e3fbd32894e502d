"""Secrets that are known by what stands before them: names, headers, addresses."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from inspector.redaction.edits import Edit
from inspector.redaction.linear import finder
from inspector.redaction.personal import hidden_emails
from inspector.redaction.tokens import HOOK, KEY_BEGINS, PRIVATE_KEY, PUTTY

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD, SECRET, HEADER, COOKIE, URL = (
    "password", "secret", "authorization", "cookie", "url-credentials",
)  # fmt: skip

_STRONG = (
    rb"pass(?:word|wd|phrase|code|wort)|passwd|(?:[_.-]|\b)pass|pwd|kennwort|contrase(?:\xc3\xb1"
    rb"|n)a|senha|wachtwoord"
    rb"|mot de passe|motdepasse|parola|has\xc5\x82o|l\xc3\xb6senord"
)
_KEYISH = (
    rb"api[_ -]?keys?|apikey|secret(?:[_ -]?(?:access[_ -]?)?key)?|client[_ -]?secret"
    rb"|access[_ -]?key(?:[_ -]?id)?|private[_ -]?key"
    rb"|account[_ -]?key|shared[_ -]?key|signing[_ -]?(?:key|secret)|encryption[_ -]?key"
    rb"|master[_ -]?key|auth[_ -]?(?:token|key)|token|credentials?"
    rb"|license[_ -]?key|webhook[_ -]?secret|_auth|[\"']auth[\"']|x-api-key|api[_ -]?secret"
    rb"|subscription[_ -]?key"
)
_OTHERS = (
    rb"(?:proxy-)?authorization|(?:set-)?cookie|\bcvv2?|\bcvc2?|[?&;](?:sig|key|code|signature"
    rb"|hmac)|\bsig"
    rb"|x-amz-(?:signature|credential|security-token)|sharedaccesssignature"
)
_OPERATOR = (
    rb"[\"'`\\\])*]{0,6}(?: ?\((?:[a-z ]{1,16})\))?\s{0,4}(?::=|=>|[=:>\xef]|\b(?:is|was"
    rb"|ist|lautet|are|equals)\b)"
)
_NAMED = finder(
    rb"(?i)(?:" + _STRONG + b"|" + _KEYISH + b"|" + _OTHERS + rb")"
    rb"(?:[a-z0-9_-]{0,24}| for [a-z0-9 _-]{1,24})" + _OPERATOR +
    rb"|(?:identified by|password)\s{1,3}['\"]"
    rb"|--(?:password|passwd|pass|token|api-key|secret)[ =]"
    rb"|(?:(?:^|\s)-u|--user|sshpass -p)[ =]?"
    rb"|login\s{1,4}[^\s]{1,64}\s{1,4}password\s"
    rb"|-----BEGIN|Private-Lines"
    rb"|[\[({<]\s?(?:at|@)\s?[\])}>]|\sat\s{1,2}[a-z0-9-]{1,63}\s{1,2}dot\s"
)  # fmt: skip

_IS_STRONG = re.compile(rb"(?i)" + _STRONG)
_IS_COOKIE = re.compile(rb"(?i)(?:set-)?cookie[a-z0-9_-]{0,24}[\"'`\\ ]{0,6}[:=]")
_IS_HEADER = re.compile(rb"(?i)authorization")
_IS_CARD_CHECK = re.compile(rb"(?i)\bcv[vc]2?\b")
_IS_ADDRESS_PART = re.compile(
    rb"(?i)(?:[?&;]|^)(?:sig|key|code|signature|hmac)[\"' ]*[=:]|x-amz-|sharedaccess"
)
_IS_SIGNING = re.compile(rb"(?i)sig(?!ning[_ -]?(?:key|secret))")
_IS_USER = re.compile(rb"(?i)(?:-u|--user)[ =]?$")
_WEAK_TOKENS = re.compile(
    rb"(?i)(?:next|page|pad|eos|bos|unk|cls|sep|mask|max|min|stop|special|num|total|input|output"
    rb"|prompt|completion|per|first|last|new|each|of)[_ -]?tokens?\b"
    rb"|tokens?[_ -]?(?:count|limit|id|ids|type|usage|budget|length|size|ize|izer|s\b)|tokeniz"
    rb"|secretar"
)

# What is called after a secret and is none: its name, where it is kept.
_IS_ABOUT = re.compile(
    rb"(?i)(?:name|ref|url|uri|file|path|type|env|alias|label|class|arn|version|store|manager)s?"
    rb"[\"'`\\\])*]{0,6}\s*(?::=|=>|[=:>])$"
)
_OTHER_WORDS = re.compile(
    rb"(?i)(?:^|[_.-])pass(?!word|wd|phrase|code|wort|key|w[^a-z]|[^a-z_])[_a-z]"
)
_IS_FOLDER = re.compile(rb"(?i)(?:^|[^a-z])(?:old)?pwd")
_PATH = re.compile(rb"[/~.]|[A-Za-z]:\\\\")
_SCHEME_WORD = re.compile(rb"(?i)(?:bearer|basic|token|digest|apikey|negotiate|key|bot)\s+")
_QUOTED = re.compile(
    rb"\s{0,4}\\{0,7}(?P<q>[\"'`])(?P<v>(?:(?!(?P=q))[^\\\n\x00]|\\[^\n\x00]){1,512}?)\\{0,7}(?P=q)"
)
_BARE = re.compile(rb"[\s\\]{0,4}[\"'`*]{0,3}(?P<v>[^\s\"'`,;&<>\x00\\]{1,512})")
_BARE_ANY = re.compile(rb"[\s\\]{0,4}[\"'`*]{0,3}(?P<v>[^\s\"'`;<>\x00\\]{1,512})")
_SCHEME = re.compile(
    rb"[\s\\]{0,4}[\"'`]?(?P<s>(?:bearer|basic|token|digest|apikey|negotiate|key"
    rb"|aws4-hmac-sha256|bot|oauth)\s+)(?P<v>[^\s\"'`,;<>\x00\\]{4,4096})",
    re.IGNORECASE,
)
_COOKIES = re.compile(
    rb"[\s\\]{0,4}[\"'`]?(?P<v>[A-Za-z0-9_.$-]{1,64}=[^\s;,\"'`\x00\\]{4,4096}(?:;\s?[A-Za-z0-9_."
    rb"$-]{1,64}(?:=[^;,\"'`\x00\\\n]{0,4096})?){0,60})"
)
_PART = re.compile(rb"=?(?P<v>[^&\s\"'<>#\x00\\)]{8,2048})")
_USER_PASSWORD = re.compile(rb"\s*[\"']?(?P<u>[^\s:\"'/]{1,64}):(?P<v>[^\s\"']{3,256})")
_IN_URL = re.compile(
    rb"(?P<u>[^\s/?#@:\"'<>\x00\\]{0,128}):(?P<v>[^\s/?#\"'<>\x00\\]{1,256})@(?=[^\s@])"
)
_IN_URL_ANY = re.compile(
    rb"(?P<u>[^\s/?#@:\"'<>\x00\\]{0,128})"
    rb":(?P<v>[^\s\"'<>\x00\\@]{1,128}(?:@[^\s\"'<>\x00\\@./]{1,64})?)"
    rb"@(?=[A-Za-z0-9.-]{1,253}(?:[:/?]|\b))"
)
_LONGEST_LOGIN = 512  # so far behind the colon, at the most, stands the sign that ends it

_NOTHING = re.compile(
    rb"(?i)(?:<[^>]*>?|&(?:#|lt|gt|quot|amp).*|\$[({]?\w.*|\{\{?.*|%[({s].*|\[.*|os\.(?:environ|getenv).*|process\.env.*"
    rb"|env(?:iron)?[.:(\[].*|getenv.*"
    rb"|none|null|nil|true|false|undefined|str|string|text|bytes|int|any|required|optional"
    rb"|redacted|hidden|masked|unknown|empty"
    rb"|\*+|[x.\xe2\x80\xa6_-]+|your[-_ ].*|(?:my|the|a|an|user|db)[-_ ]?(?:password|passwd"
    rb"|secret|key|token)|example|placeholder"
    rb"|todo|tbd|n/?a|password|passwd|secret|token|key|value|haystack\.\S+|typing\.\S+"
    rb"|secret\.from\S*|[a-z_]+ ?\|.*)"
)
_CODE = re.compile(
    rb"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*[(\[].*|[A-Za-z_]+(?:\.[A-Za-z_]+)+|/[\w./-]+|~/.*"
    rb"|[a-z]+://\S*"
)
_IS_HIDING = re.compile(rb"(?i)[\[({<]|\sat\s")
_DIGIT = re.compile(rb"[0-9]").search
_SIGN = re.compile(rb"[^A-Za-z\x80-\xff]")
_TAIL = b".,;:!?)]}*"


def secrets(data: bytes) -> Iterator[Edit]:
    """Yield what follows a name of a secret."""
    for found in _NAMED(data):
        first, last = found.span()
        if data.startswith(KEY_BEGINS, first):
            key = PRIVATE_KEY.match(data, first) or PUTTY.match(data, first)
            if key is not None:
                yield Edit(*key.span(), "private-key", key[0])
            continue
        if _IS_HIDING.match(data, first):
            yield from hidden_emails(data, first)
            continue
        edit = _after(data, first, last)
        if edit is not None:
            yield edit


class _Named(NamedTuple):
    """What the name of a secret says by itself, whatever follows."""

    way: str
    strong: bool = False
    said: bool = False
    of_element: bool = False
    setting: bool = False
    other_words: bool = False
    folder: bool = False
    about: bool = False
    secret: bool = False


@lru_cache(maxsize=4_096)  # a text has few names, many times
def _named(name: bytes) -> _Named:
    lowered = name.lower()
    if name[-1:] in b"'\"" and not lowered.startswith(b"--"):
        return _Named("quoted")
    if name.startswith((b"--", b" -u")) or lowered.startswith((b"login", b"sshpass")):
        return _Named("user" if _IS_USER.search(name) else "option")
    if _IS_USER.search(name):
        return _Named("user")
    if _IS_COOKIE.search(name):
        return _Named("cookie")
    if _IS_HEADER.search(name):
        return _Named("header")
    if _IS_ADDRESS_PART.search(name):
        return _Named("part")
    if _IS_SIGNING.match(name):
        return _Named("")
    if _IS_CARD_CHECK.search(name):
        return _Named("card")
    return _Named(
        "assigned",
        strong=_IS_STRONG.search(name) is not None,
        said=lowered[-2:] in (b"is", b"as", b"st", b"et", b"re", b"ls"),
        of_element=name.endswith(b">") and not name.endswith(b"=>"),
        setting=name.endswith(b"="),
        other_words=_OTHER_WORDS.search(name) is not None,
        folder=_IS_FOLDER.search(name) is not None,
        about=_IS_ABOUT.search(name) is not None,
        secret=b"secret" in lowered,
    )


def _after(data: bytes, first: int, last: int) -> Edit | None:
    name = _named(data[first:last])
    match name.way:
        case "assigned":
            return _assigned(data, first, last, name)
        case "quoted":
            found = _QUOTED.match(data, last - 1)
            return _edit(found, PASSWORD) if found and not _is_nothing(found["v"]) else None
        case "option":
            found = _QUOTED.match(data, last) or _BARE.match(data, last)
            return _edit(found, PASSWORD) if found and not _is_nothing(found["v"]) else None
        case "user":
            return _edit(_USER_PASSWORD.match(data, last), PASSWORD)
        case "cookie":
            return _edit(_COOKIES.match(data, last), COOKIE)
        case "header":
            return _header(data, last)
        case "part":
            found = _PART.match(data, last)
            return _edit(found, URL) if found and _has_digit(found["v"]) else None
        case "card":
            found = _QUOTED.match(data, last) or _BARE.match(data, last)
            value = found["v"].rstrip(_TAIL) if found else b""
            return _edit(found, "card") if value.isdigit() and len(value) in (3, 4) else None
    return None


def _header(data: bytes, last: int) -> Edit | None:
    found = _SCHEME.match(data, last) or _QUOTED.match(data, last) or _BARE.match(data, last)
    if found is None or _is_nothing(_SCHEME_WORD.sub(b"", found["v"], count=1)):
        return None
    value = found["v"].rstrip(_TAIL)
    enough = len(value) >= 8 or "s" in found.groupdict()
    return _edit(found, HEADER) if enough and (_SIGN.search(value) or len(value) >= 16) else None


def _assigned(data: bytes, first: int, last: int, name: _Named) -> Edit | None:
    if name.of_element and data[first - 1 : first] != b"<":
        return None  # no element of that name
    strong = name.strong
    found = _QUOTED.match(data, last)
    quoted = found is not None
    if found is None:
        bare = _BARE_ANY if strong and data[first - 1 : first] not in (b"?", b"&") else _BARE
        found = bare.match(data, last)
    scheme = None if strong else _SCHEME.match(data, last)
    if found is None and scheme is None:
        return None
    if _is_weak(data[max(0, first - 12) : last]):
        return None
    if scheme is not None and looks_secret(scheme["v"].rstrip(_TAIL)):
        return _edit(scheme, HEADER)
    if found is None:
        return None
    value = found["v"] if quoted else found["v"].rstrip(_TAIL)
    if not value or value.startswith(b"(") or _is_nothing(value):
        return None
    if (not quoted or found["q"] == b"`") and _CODE.fullmatch(value) and not _has_digit(value):
        return None
    if strong:
        good = _is_password(data, first, name, value, quoted=quoted)
        return _edit(found, PASSWORD) if good else None
    if name.about:
        return None
    specific = name.secret and quoted
    good = looks_secret(value) or (specific and len(value) >= 6 and b" " not in value)
    return _edit(found, SECRET) if good else None


def _is_password(data: bytes, first: int, name: _Named, value: bytes, *, quoted: bool) -> bool:
    """Whether what is called a password is one, and not a word about passwords."""
    if name.other_words or (name.folder and _PATH.match(value)):
        return False
    if quoted and not name.said:
        return len(value) >= 3 and value.count(b" ") < 3
    if name.setting and _is_setting(data, first):
        return len(value) >= 3
    return len(value) >= 4 and _SIGN.search(value) is not None and not _is_number_word(value)


@lru_cache(maxsize=4_096)
def _is_weak(name: bytes) -> bool:
    """Whether a name, with what is before it, is of a model's tokens, or of no secret at all."""
    lowered = name.lower()
    if b"token" not in lowered and b"secretar" not in lowered:
        return False
    return _WEAK_TOKENS.search(name) is not None


def _is_number_word(value: bytes) -> bool:
    """Whether prose goes on: a number of a list, or a word with an apostrophe or a hyphen."""
    return value.replace(b"-", b"").replace(b"_", b"").replace(b"/", b"").isalpha() or (
        value.isdigit() and len(value) < 4
    )


def _is_setting(data: bytes, first: int) -> bool:
    """Whether a name stands where a setting does, and not in a call of a function."""
    line = data.rfind(10, max(0, first - 200), first) + 1
    return b"(" not in data[max(line, first - 200) : first]


def _is_nothing(value: bytes) -> bool:
    return _NOTHING.fullmatch(value.strip(b" ")) is not None


def _has_digit(value: bytes) -> bool:
    return _DIGIT(value) is not None


_WORDLIKE = re.compile(rb"[a-z]+(?:[-_./][a-z]+)*|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+(?:_[A-Z]+)*")
_KNOWN_FORM = re.compile(
    rb"v?[0-9]+(?:\.[0-9]+)+\S{0,12}|[0-9.,:/-]+|[0-9]{4}-[0-9]{2}-[0-9]{2}\S*|(?:https?|file|s3"
    rb"|gs)://\S*|\S{1,60}\.(?:py|json|yaml|yml|toml|txt|md|pdf|pem|html?|csv|xml)"
)


def looks_secret(value: bytes) -> bool:
    """Whether a value that is called a key or a token looks like one, and not like words."""
    if len(value) < 8 or b" " in value or _KNOWN_FORM.fullmatch(value) or _is_nothing(value):
        return False
    if _WORDLIKE.fullmatch(value):
        return False
    signs = len(set(value))
    if _has_digit(value):
        return signs >= 6 or len(value) >= 20
    mixed = any(65 <= sign <= 90 for sign in value) and any(97 <= sign <= 122 for sign in value)
    return mixed and len(value) >= 16 and signs >= 10


def _edit(found: re.Match[bytes] | None, rule: str) -> Edit | None:
    if found is None:
        return None
    first, last = found.span("v")
    value = found["v"]
    if "q" not in found.groupdict() and rule not in (COOKIE, URL):
        kept = value.rstrip(b".,;:)]}") or value
        last, value = first + len(kept), kept
    return Edit(first, last, rule, value)


def urls(data: bytes, colons: list[int]) -> Iterator[Edit]:
    """Yield users with passwords in addresses, whose schemes end at these colons."""
    for colon in colons:
        place = colon + 3
        if data.find(b"@", place, place + _LONGEST_LOGIN) >= 0:
            found = _IN_URL.match(data, place) or _IN_URL_ANY.match(data, place)
            if found is not None and not _is_nothing(found["v"]):
                yield Edit(found.start(), found.end("v"), URL, found[0][:-1])
        hook = HOOK.match(data, place)
        if hook is not None:
            yield Edit(*hook.span(), "webhook", hook[0])


# -- keys of dictionaries ------------------------------------------------------------------

_SENSITIVE = re.compile(
    r"(?:.*(?:password|passwd|passphrase|passcode|apikey|apisecret|clientsecret|accesstoken"
    r"|authtoken|refreshtoken"
    r"|bearertoken|sessiontoken|securitytoken|idtoken|secretkey|secretaccesskey|privatekey"
    r"|accesskey|accountkey"
    r"|signingsecret|webhooksecret|signingkey|encryptionkey|kennwort|passwort|contrasena|senha)"
    r"|pwd|secret|userpwd|dbpwd|pass|dbpass"
    r"|(?:proxy)?authorization|(?:set)?cookie|xauthtoken|xapikey|credentials?|token|sig|auth"
    r"|xamzsignature|xamzsecuritytoken)"
)
_NUMBERS = re.compile(r"cvv2?|cvc2?|pin|pincode")
_PERHAPS = frozenset(("sig", "credential", "credentials", "auth", "_auth"))  # or words about it
_NOT_KEY = re.compile(r"[^a-z0-9]")


def rule_of_key(key: str) -> str | None:
    """Return the rule by which what stands under a key is a secret, if it is."""
    plain = _NOT_KEY.sub("", key.lower())
    if len(plain) > 64 or not _SENSITIVE.fullmatch(plain):
        return "card" if _NUMBERS.fullmatch(plain) else None
    if "cookie" in plain:
        return COOKIE
    if "authorization" in plain:
        return HEADER
    return PASSWORD if "pass" in plain or "pwd" in plain or "senha" in plain else SECRET


def secret_under_key(rule: str, key: str, value: bytes) -> Edit | None:
    """Return what of a dictionary's value is secret, as its key says."""
    if not 3 <= len(value) <= 8_192 or _is_nothing(value) or b"\n" in value:
        return None
    if rule == "card":
        return Edit(0, len(value), rule, value) if value.isdigit() and len(value) < 9 else None
    if rule == HEADER:
        scheme = _SCHEME.match(value)
        if scheme is not None:
            return Edit(*scheme.span("v"), rule, scheme["v"])
    lowered = key.lower()
    if rule == SECRET and ("token" in lowered or lowered in _PERHAPS):
        return Edit(0, len(value), rule, value) if looks_secret(value) else None
    if value.count(b" ") >= 3 and rule != COOKIE:
        return None
    return Edit(0, len(value), rule, value)
