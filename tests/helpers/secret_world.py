# ruff: noqa: E501 - texts as they are, and a line a case
"""Secrets and personal data with their labels, made when they are asked for.

Nothing here is anybody's: keys are drawn at random behind their makers' marks, which are put
together so that no file of ours holds one; numbers are those that registries publish as
examples, or lie in ranges kept for films and manuals.
"""

import base64
import json
import random
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HEX = "0123456789abcdef"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
AT = "@"


class Case(NamedTuple):
    """A secret, the text that it stands in, and what kind of thing it is."""

    kind: str
    group: str  # "credentials" or "personal data"
    secret: str
    text: str


class Placed(NamedTuple):
    """A case in a place of a record: the tree, and whether the secret can be read in JSON."""

    case: Case
    place: str
    tree: Any
    read: Callable[[Any], str]


def drawn(rng: random.Random, count: int, signs: str = ALNUM) -> str:
    while True:
        text = "".join(rng.choice(signs) for _ in range(count))
        if count < 8 or (any(c.isdigit() for c in text) and len(set(text)) > 5):
            return text


def _tokens(r: random.Random) -> dict[str, str]:
    """Return a token of each maker by its name."""
    d = drawn
    b64 = base64.urlsafe_b64encode
    head = b64(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()).decode().rstrip("=")
    body = b64(json.dumps({"sub": d(r, 8), "n": r.random()}).encode()).decode().rstrip("=")
    return {
        "github classic": "gh" + "p_" + d(r, 36),
        "github app": "gh" + "s_" + d(r, 36),
        "github fine": "github" + "_pat_" + d(r, 22) + "_" + d(r, 59),
        "gitlab": "glp" + "at-" + d(r, 20),
        "slack bot": "xo" + "xb-" + d(r, 12, "0123456789") + "-" + d(r, 12, "0123456789") + "-" + d(r, 24),
        "slack app": "xa" + "pp-1-A" + d(r, 10, UPPER) + "-" + d(r, 13, "0123456789") + "-" + d(r, 64, HEX),
        "openai project": "sk" + "-proj-" + d(r, 48),
        "openai old": "sk" + "-" + d(r, 20) + "T3Blbk" + "FJ" + d(r, 20),
        "anthropic": "sk" + "-ant-api03-" + d(r, 93) + "AA",
        "openrouter": "sk" + "-or-v1-" + d(r, 64, HEX),
        "hugging face": "h" + "f_" + d(r, 34, ALNUM),
        "groq": "gs" + "k_" + d(r, 52),
        "replicate": "r" + "8_" + d(r, 37),
        "perplexity": "pp" + "lx-" + d(r, 48),
        "xai": "xa" + "i-" + d(r, 80),
        "tavily": "tv" + "ly-" + d(r, 32),
        "pinecone": "pc" + "sk_" + d(r, 60),
        "langsmith": "ls" + "v2_pt_" + d(r, 32, HEX) + "_" + d(r, 10, HEX),
        "langfuse": "sk" + "-lf-" + "-".join(d(r, n, HEX) for n in (8, 4, 4, 4, 12)),
        "nvidia": "nv" + "api-" + d(r, 64),
        "google": "AI" + "za" + d(r, 35),
        "google oauth": "GOC" + "SPX-" + d(r, 28),
        "google access": "ya" + "29." + d(r, 60),
        "aws id": "AK" + "IA" + d(r, 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
        "aws session id": "AS" + "IA" + d(r, 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
        "azure": d(r, 3) + "8Q" + "~" + d(r, 34),
        "stripe": "sk" + "_live_" + d(r, 24),
        "stripe restricted": "rk" + "_live_" + d(r, 24),
        "square": "sq0" + "atp-" + d(r, 22),
        "twilio": "S" + "K" + d(r, 32, HEX),
        "sendgrid": "S" + "G." + d(r, 22) + "." + d(r, 43),
        "mailgun": "ke" + "y-" + d(r, 32, HEX),
        "mailchimp": d(r, 32, HEX) + "-u" + "s12",
        "npm": "np" + "m_" + d(r, 36),
        "pypi": "pyp" + "i-AgEIcHlwaS5vcmc" + d(r, 80),
        "rubygems": "ruby" + "gems_" + d(r, 48, HEX),
        "docker": "dck" + "r_pat_" + d(r, 27),
        "shopify": "shp" + "at_" + d(r, 32, HEX),
        "digitalocean": "do" + "p_v1_" + d(r, 64, HEX),
        "databricks": "da" + "pi" + d(r, 32, HEX),
        "vault": "hv" + "s." + d(r, 95),
        "terraform": d(r, 14) + ".at" + "lasv1." + d(r, 67),
        "doppler": "dp" + ".pt." + d(r, 43),
        "age": "AGE-SECRET" + "-KEY-1" + d(r, 58, UPPER),
        "linear": "lin" + "_api_" + d(r, 40),
        "notion": "nt" + "n_" + d(r, 46),
        "postman": "PM" + "AK-" + d(r, 24, HEX) + "-" + d(r, 34, HEX),
        "figma": "fi" + "gd_" + d(r, 40),
        "airtable": "pa" + "t" + d(r, 14) + "." + d(r, 64, HEX),
        "atlassian": "ATA" + "TT3" + d(r, 180),
        "sentry": "sn" + "trys_" + d(r, 80),
        "new relic": "NR" + "AK-" + d(r, 27, UPPER),
        "grafana": "gl" + "sa_" + d(r, 32) + "_" + d(r, 8, HEX),
        "posthog": "ph" + "x_" + d(r, 43),
        "supabase": "sb" + "p_" + d(r, 40, HEX),
        "telegram": d(r, 9, "123456789") + ":AA" + d(r, 33),
        "discord": "M" + d(r, 23) + "." + d(r, 6) + "." + d(r, 38),
        "jwt": f"{head}.{body}.{d(r, 43)}",
        "alibaba": "LT" + "AI" + d(r, 20),
        "heroku": "HR" + "KU-" + d(r, 40),
    }  # fmt: skip


# How a token stands where people leave it.
_AROUND = (
    "the key is {}", '{{"apiKey":"{}"}}', "export KEY={}", "({})", "`{}`", "key={};", "{}.",
    "https://api.example.org/v1?k={}&x=1", "curl -H 'X-Key: {}' https://example.org", "<{}>",
    "first line\n{}\nlast line", "client = Client('{}')", "**{}**", "-{} was revoked", "_{}_",
)  # fmt: skip


def _passwords(r: random.Random) -> Iterator[tuple[str, str, str]]:
    """Yield how passwords and generic keys are written: name, secret, text."""
    d = drawn
    word = "Tr" + d(r, 3) + "!" + d(r, 5) + "x7"
    key, long = d(r, 32), d(r, 40, ALNUM + "+/")
    hexa = d(r, 40, HEX)
    plain = "".join(r.choice("abcdefghijkmnpqrstuvwxyz") for _ in range(9))
    yield "colon", word, f"password: {word}"
    yield "quoted", word, f'password = "{word}"'
    yield "single", word, f"'passwd': '{word}'"
    yield "is", word, f"The password is {word}, please change it."
    yield "is for", word, f"my password for the wiki is {word}"
    yield "env", word, f"DB_PASSWORD={word}"
    yield "env plain word", plain, f"POSTGRES_PASSWORD={plain}"
    yield "export", word, f'export PGPASSWORD="{word}"'
    yield "yaml", plain, f'db:\n  user: app\n  password: "{plain}"'
    yield "php", word, f"'db_pass' => '{word}',"
    yield "ruby", word, f':password => "{word}"'
    yield "xml", word.replace("!", "_"), f"<Password>{word.replace('!', '_')}</Password>"
    yield "xml attribute", word, f'<user name="app" password="{word}"/>'
    yield "properties", word, f"spring.datasource.password={word}"
    yield (
        "odbc",
        word.replace("!", "."),
        f"Server=db;Uid=app;Pwd={word.replace('!', '.')};Encrypt=yes",
    )
    yield "flag", word, f"mysqldump --password={word} shop"
    yield "flag apart", word, f"tool --password {word} --verbose"
    yield "curl user", word, f"curl -u app:{word} https://example.org"
    yield "sshpass", word, f"sshpass -p {word} ssh app{AT}host"
    yield "netrc", word, f"machine example.org login app password {word}"
    yield "sql", word, f"CREATE USER app IDENTIFIED BY '{word}';"
    yield "sql alter", word, f"ALTER ROLE app WITH PASSWORD '{word}'"
    yield "german", word, f"Das Passwort lautet {word}"
    yield "spanish", word, f"contraseña: {word}"
    yield "french", word, f"mot de passe : {word}"
    yield "json in text", word, json.dumps({"user": "app", "password": word})
    yield "json twice", word, json.dumps(json.dumps({"user": "app", "password": word}))
    yield "json spaces", "correct horse battery", json.dumps({"password": "correct horse battery"})
    yield "repr", word, repr({"user": "app", "pwd": word})
    yield "url", word, f"postgres://app:{word}@db.example.org:5432/shop"
    yield "url at sign", "p" + AT + "ss" + d(r, 4), f"mysql://app:p{AT}ss{{}}@db/shop"
    yield "url no user", key, f"redis://:{key}@cache:6379/0"
    yield "url encoded", "s%40crt" + d(r, 4), "amqp://app:s%40crt{}@mq/"
    yield "url query", key, f"https://example.org/cb?access_token={key}&state=1"
    yield "url sig", "s%2Bg" + d(r, 30), "https://acct.blob.example.org/c?sv=2024&sig=s%2Bg{}&se=9"
    yield "jdbc", word, f"jdbc:postgresql://db/shop?user=app&password={word}"
    yield "bearer", key, f"Authorization: Bearer {key}"
    yield "bearer json", key, json.dumps({"Authorization": f"Bearer {key}"})
    yield "bearer alone", key, f"sent with Bearer {key} in it"
    basic = base64.b64encode(f"app:{long}".encode()).decode()
    yield "basic", basic, f"authorization: Basic {basic}"
    yield "token header", hexa, f"Authorization: token {hexa}"
    yield "api key header", hexa, f"X-Api-Key: {hexa}"
    yield "cookie", key, f"Cookie: theme=dark; sessionid={key}; lang=en"
    yield "set cookie", key, f"Set-Cookie: SID={key}; Path=/; HttpOnly"
    yield "api key", key, f'api_key = "{key}"'
    yield "api key camel", hexa, f'{{"apiKey": "{hexa}"}}'
    yield "secret", key, f"client_secret: {key}"
    yield "secret short", "Zx9" + d(r, 6), "clientSecret='Zx9{}'"
    yield "aws secret", long, f"aws_secret_access_key = {long}"
    yield "account key", long, f"AccountName=a;AccountKey={long}==;EndpointSuffix=example"
    yield "npmrc", key, f"//registry.example.org/:_authToken={key}"
    yield "docker auth", long, json.dumps({"auths": {"r": {"auth_token": long}}})
    yield "terraform", key, f'variable "x" {{\n  secret_key = "{key}"\n}}'
    yield "go", key, f'const apiSecret = "{key}"'
    yield "java", key, f'private static final String API_KEY = "{key}";'
    yield "token word", hexa, f"your access token is {hexa}"
    yield "backslashes", word, '{\\"password\\": \\"' + word + '\\"}'
    yield "three backslashes", word, '{\\\\\\"password\\\\\\": \\\\\\"' + word + '\\\\\\"}'
    yield "entities", key, f"&quot;api_key&quot;: &quot;{key}&quot;"
    yield "percent", key, "api_key%3D" + key
    yield (
        "slack hook",
        "T" + d(r, 8, UPPER) + "/B" + d(r, 8, UPPER) + "/" + d(r, 24),
        "https://hooks.slack" + ".com/services/{}",
    )
    pem = "\n".join(d(r, 64, ALNUM + "+/") for _ in range(12))
    for name in ("RSA ", "EC ", "OPENSSH ", ""):
        yield (
            f"pem {name}",
            pem[70:120],
            f"-----BEGIN {name}PRIVATE " + f"KEY-----\n{pem}\n-----END {name}PRIVATE KEY-----",
        )
    yield (
        "pem in json",
        pem[70:120].split("\n")[0],
        json.dumps(
            {"private_key": "-----BEGIN PRIVATE " + f"KEY-----\n{pem}\n-----END PRIVATE KEY-----\n"}
        ),
    )
    yield "pem cut off", pem[70:120], "-----BEGIN PRIVATE " + f"KEY-----\n{pem}"
    yield "cvv", "{}", "card ending 1111, cvv: {}"


def _filled(name: str, secret: str, text: str) -> tuple[str, str]:
    """Return a secret and its text, which may leave a gap for the end of it."""
    if name == "cvv":
        return "737", text.format("737")
    if name == "slack hook":
        return secret, text.format(secret)
    known = {"url at sign": -4, "url encoded": -4, "url sig": 5, "secret short": 3}
    return secret, text.replace("{}", secret[known[name] :]) if name in known else text


def credentials(seed: int = 7) -> list[Case]:
    r = random.Random(seed)
    cases = []
    for number, (name, token) in enumerate(_tokens(r).items()):
        for shape in (_AROUND[number % len(_AROUND)], _AROUND[(number + 7) % len(_AROUND)]):
            cases.append(Case(name, "credentials", token, shape.format(token)))
    for name, secret, text in _passwords(r):
        cases.append(Case(name, "credentials", *_filled(name, secret, text)))
    return cases


_PHONES = (
    "+1 212 555 0147", "+1-415-555-0123", "(212) 555-0198", "212-555-0134", "212.555.0166",
    "+44 20 7946 0958", "+44 (0)20 7946 0011", "020 7946 0321", "0044 20 7946 0733",
    "+49 30 23125 014", "030 23125 148", "030/23125-77", "+33 1 99 00 12 34", "01 99 00 56 78",
    "+61 2 5550 1234", "+81 3-5550-1234", "+91 98765 43210", "+34 912 345 678", "+39 06 5550 1234",
    "+41 44 668 18 00", "+43 1 5550123", "+31 20 555 0123", "+46 8 5550 1234", "+4915112345678",
    "+55 11 95550-1234", "+86 10 5550 1234", "+27 21 555 0123", "+353 1 555 0123",
)  # fmt: skip
_IBANS = (
    "DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "FR1420041010050500013M02606",
    "NL91 ABNA 0417 1643 00", "CH93 0076 2011 6238 5295 7", "AT61 1904 3002 3457 3201",
    "BE68539007547034", "ES91 2100 0418 4502 0005 1332", "IT60X0542811101000000123456",
    "PL61109010140000071219812874", "SE45 5000 0000 0583 9825 7466", "NO93 8601 1117 947",
    "DK50 0040 0440 1162 43", "FI21 1234 5600 0007 85", "PT50000201231234567890154",
    "IE29 AIBK 9311 5212 3456 78", "LU28 0019 4006 4475 0000", "CZ65 0800 0000 1920 0014 5399",
    "SA03 8000 0000 6080 1016 7519", "TR33 0006 1005 1978 6457 8413 26", "GB29-NWBK-6016-1331-9268-19",
)  # fmt: skip
_CARDS = (
    "4111 1111 1111 1111", "4111111111111111", "5555-5555-5555-4444", "3782 822463 10005",
    "6011 1111 1111 1117", "3056 9309 0259 04", "3566002020360505", "2223 0031 2200 3222",
    "4012 8888 8888 1881", "6200 0000 0000 0005", "371449635398431", "5105 1051 0510 5100",
    "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
)  # fmt: skip
_IDS = (
    "078-05-1120", "AB 12 34 56 C", "NHS 943 476 5919", "SSN 219099999", "Steuer-ID 86095742719",
    "65 929 970 489", "2 55 08 14 168 025 38", "12345678Z", "X1234567L", "RSSMRA85T10A562S",
    "BSN 111222333", "85.07.30-033.28", "44051401359", "811228-9874", "131052-308T",
    "13097248022", "111.444.777-35", "2341 2341 2346", "ABCPE1234F", "11010519491231002X",
    "S1234567D", "820701-2409184", "736028/5163", "756.9217.0769.85", "10000000146",
    "8001015009087", "1800101221144", "SIN 046 454 286", "TFN 123 456 782", "PPS 1234567T",
    "CPR 070761-4285", "passport C01X00T47", "HEGG560427MVZRRL04",
)  # fmt: skip
_IPS = (
    "203.0.113.77", "198.51.100.4", "10.20.30.40", "192.168.17.5", "2001:db8:85a3::8a2e:370:7334",
    "fe80::1ff:fe23:4567:890a", "2001:db8:0:1:1:1:1:1", "::ffff:203.0.113.9", "172.31.255.6",
)  # fmt: skip
_SAYING = (
    "Please write to {} by Friday.", "contact={}", "({})", '"{}"', "{}", "- {}\n- none",
    "Customer: {}; status open", "<b>{}</b>", "| {} | yes |", "Ref.: {}, thank you",
)  # fmt: skip


def personal(seed: int = 7) -> list[Case]:
    r = random.Random(seed)
    cases = []
    hosts = ("example.org", "mail.example.co.uk", "example.museum", "xn--bcher-kva.example")
    locals_ = (
        "jo",
        "jo.doe",
        "jo+news",
        "j_doe",
        "JO.DOE",
        "o'neil",
        "j-d",
        "jo.müller",
        "1234",
        "x%y",
    )
    mails = [f"{local}{AT}{hosts[n % len(hosts)]}" for n, local in enumerate(locals_)]
    mails += [
        "jo (at) example.org",
        "jo [at] example [dot] org",
        "jo at example dot org",
        "jo{at}example.org",
    ]
    lists = (
        ("email", mails), ("phone", _PHONES), ("iban", _IBANS), ("card", _CARDS),
        ("national-id", _IDS), ("ip", _IPS),
    )  # fmt: skip
    for kind, values in lists:
        for number, value in enumerate(values):
            text = _SAYING[(number + r.randrange(3)) % len(_SAYING)].format(value)
            secret = value
            for word in (
                "NHS ",
                "SSN ",
                "Steuer-ID ",
                "BSN ",
                "SIN ",
                "TFN ",
                "PPS ",
                "CPR ",
                "passport ",
            ):
                secret = secret.removeprefix(word)
            cases.append(Case(kind, "personal data", secret, text))
    return cases


# -- places --------------------------------------------------------------------------------


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _unb64(text: str) -> str:
    try:
        return base64.b64decode(text).decode("utf-8", "replace")
    except ValueError:
        return text


def placed(case: Case, number: int) -> Placed:
    """Put a case somewhere in a record, another place for each number."""
    text = case.text
    places: tuple[tuple[str, Any, Callable[[Any], str]], ...] = (
        ("a text", {"a": text}, lambda t: t["a"]),
        ("a list", {"a": ["x", {"b": text}]}, lambda t: t["a"][1]["b"]),
        ("a key", {"a": {text: 1}}, lambda t: "\n".join(t["a"])),
        ("JSON in JSON", {"a": json.dumps({"q": [text]})}, lambda t: _loads(t["a"])),
        ("JSON in JSON in JSON", {"a": json.dumps(json.dumps({"q": text}))}, lambda t: _loads(t["a"])),
        ("JSON in ASCII", {"a": json.dumps({"q": text}, ensure_ascii=True)}, lambda t: _loads(t["a"])),
        ("base64", {"a": "data:" + _b64(f"log of today: {text} (end of the log)")}, lambda t: _unb64(t["a"].removeprefix("data:"))),
        ("base64 for addresses", {"a": base64.urlsafe_b64encode(f"~?ÿ {text} ~ÿ?".encode()).decode()}, lambda t: base64.urlsafe_b64decode(t["a"] + "==").decode("utf-8", "replace")),
        ("percent signs", {"a": "q=" + urllib.parse.quote(text)}, lambda t: urllib.parse.unquote(t["a"])),
        ("percent signs twice", {"a": urllib.parse.quote(urllib.parse.quote(text))}, lambda t: urllib.parse.unquote(urllib.parse.unquote(t["a"]))),
        ("bytes", {"a": {"$": "bytes", "base64": _b64(f"{text}\n" * 2)}}, lambda t: _unb64(t["a"]["base64"])),
        ("a message", {"$": "chat_message", "role": "user", "content": [{"text": f"Hello,\n{text}\nbye"}]}, lambda t: t["content"][0]["text"]),
        ("an error", {"error": {"type": "E", "message": f"401 for {text}", "traceback": f"x\n{text}"}}, lambda t: t["error"]["message"] + t["error"]["traceback"]),
        ("a document", {"$": "document", "id": "ab" * 32, "content": "Intro. " * 30 + text, "meta": {}}, lambda t: t["content"]),
        ("arguments", {"tool_call": {"id": "call_1", "name": "f", "arguments": {"q": text}}}, lambda t: t["tool_call"]["arguments"]["q"]),
    )  # fmt: skip
    place, tree, read = places[number % len(places)]
    return Placed(case, place, tree, read)


def _loads(text: Any) -> str:
    while True:
        try:
            text = json.loads(text)
        except (ValueError, TypeError):
            return text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
        if not isinstance(text, str):
            return json.dumps(text, ensure_ascii=False) + "\n".join(_strings(text))


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for key, part in node.items():
            yield key
            yield from _strings(part)
    elif isinstance(node, list):
        for part in node:
            yield from _strings(part)
