# ruff: noqa: E501, ISC004 - texts as they are, and a line a case
"""Texts as retrievers return them, full of what looks like personal data and is none."""

import random
from collections.abc import Iterator

from tests.helpers.secret_world import Case, credentials, personal

PARAGRAPHS = (
    "Pump P-101B (serial 2021-0047-113) was overhauled on 2024-03-15 between 06:10 and 14:45. The bearing temperature "
    "rose from 54.2 to 71.8 °C at 1450 rpm; vibration stayed below 2.8 mm/s. Order 4500012345, item 000210, cost 1,234.50.",
    "ISO 9001:2015, section 7.5.3.2, requires that documented information is controlled. See also clause 8.4.1.3 and "
    "Table 4.1.2.3 of EN 60204-1:2018. The audit report QA-2023-118 lists 3 minor findings (12-14).",
    "The release notes say: upgrade from version 10.2.4.1 to 10.3.0.7, then run the migration 20240315102201_add_index. "
    "Commit 4f920ea6bf206d3ae17c83e6b94b473c5955304ab2 fixed it; the image is sha256:"
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.",
    "Reset your password from the login page. The password must have at least 12 characters; a passphrase is better. "
    "Nobody from support will ask for your password. Password: required. Token: optional. Secret: none.",
    "A tokenizer splits text into tokens; the pad token is usually 0, max_tokens: 4096, next_token: null. The key idea "
    "of attention is that every token has a key, a query and a value. Key: value pairs are separated by commas.",
    "Call `pipeline.run(data, password=password)` or pass `api_key=Secret.from_env_var('OPENAI_API_KEY')`. In code, "
    "`self.token = token`, `auth = (user, passwd)` and `secret = get_secret()` hold no secret themselves.",
    "Use @component and @property decorators. Mention @maintainers in the issue. Install pkg@1.2.3 or foo@latest, see "
    "logo@2x.png and the scope @types/node. Clone with git@github.com:example/repo.git over SSH.",
    "The coordinates are 52.5200, 13.4050 (WGS 84). Distances: 3.5, 12.25, 100.125 km. Pressure 1013.25 hPa, density "
    "0.998 g/cm3, Avogadro 6.02214076e23, pi 3.14159265358979, e 2.71828182845904.",
    "In 2019-2020 sales rose by 12.5 % to 1 234 567 units; in 2020-2021 they fell to 987 654. The ISBN of the book is "
    "978-3-16-148410-0, its DOI 10.1000/182, its price 24.90. Pages 120-145, 3rd edition (1998).",
    "UUID 550e8400-e29b-41d4-a716-446655440000 identifies the job; the run is 01M8M4ZS3P6ZYDM51Q3F20SR8P and its trace "
    "4bf92f3577b34da6a3ce929d0e0e4736. Ticket INC0012345 was closed at 2024-03-15T10:22:01.123456Z.",
    "Class haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever takes top_k=10. The model is "
    "gpt-4o-mini-2024-07-18, the embedder sentence-transformers/all-MiniLM-L6-v2 with 384 dimensions.",
    "Opening hours: Mon-Fri 08:00-18:00, Sat 09:30-13:00. Platform 9, coach 21, seat 64. Flight LH 2034 departs at 14:05 "
    "from gate B42; the booking opens 2024-11-01. Room 3.104, building 12.",
    "Figure 3.2.1.4 shows the network: the loopback is 127.0.0.1, the mask 255.255.255.255, and 0.0.0.0 means any. "
    "Time 10:22:01 is not an address, nor are aa:bb or 12:34:56:78.",
    "The author: J. S., editor: M. K. Authentication: see chapter 4. Authorization: only for administrators. Cookie: a "
    "small piece of text that a site stores. Signature: illegible. Session: 14 (afternoon).",
    "Math: 2^64 = 18446744073709551616, 10! = 3628800, 17 * 23 = 391. The sequence 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89 "
    "and the matrix rows 1 0 0 0 / 0 1 0 0. Scores 3:2 (1:1), 6-4 7-5 6-3.",
    "Chemical 7732-18-5 is water; EC number 231-791-2; UN 1203 is petrol. Part no. 0 445 120 123, drawing 4711-0815/B, "
    "batch L2403-117, article 4006381333931, customs tariff 8413 70 29.",
    "```python\ndef key(name: str) -> str:\n    return f\"{name}:{VERSION}\"\n\nTOKEN_LIMIT = 8192\nSECRET_NAME = "
    "\"db-credentials\"\npassword = os.environ[\"DB_PASSWORD\"]\n```",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db-credentials\n  namespace: shop\nspec:\n  passwordSecretRef: "
    "db-password\n  tokenUrl: https://example.org/oauth/token\n  keyFile: /etc/ssl/key.pem",
    "See https://example.org/docs/en/latest/api/components.html#generators-openai and http://localhost:8080/v1/models. "
    "The path is /usr/local/share/haystack/data/2024/report-final-v2.pdf, on Windows C:\\Users\\Public\\report.txt.",
    "Section 230 of 47 U.S.C.; Art. 6(1)(f) GDPR; BGB § 433; DFARS 252.227-7013; RFC 2119, RFC 8259 and CVE-2021-44228. "
    "The case 2 BvR 1234/20 was decided on 12.03.2022, ECLI:EU:C:2014:317.",
    "Temperatures per hour: 18.2 18.0 17.9 17.7 17.5 17.9 18.8 20.1 21.7 23.0 24.2 25.1. Levels 120 118 117 121 125 130 "
    "133 131. Years 1990 1995 2000 2005 2010 2015 2020.",
    "The base64 text aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxkLCBoZWxsbw== says hello; the colour is #a1b2c3, the licence "
    "Apache-2.0. Escape \\n, \\t and \\\" in JSON; write &amp; for & and %20 for a space.",
    "Boston, MA 02110-1301 and Berlin 10115 are postal codes. The lot measures 30x40x25 cm, 12 kg. Invoice "
    "2024/03/000117 is due in 14 days; the contract runs until 31.12.2026, notice period 3 months.",
    "State of the art, end-to-end, well-known and long-standing approaches differ: retrieval-augmented-generation, "
    "chain-of-thought, mixture-of-experts. Donaudampfschifffahrtsgesellschaftskapitaen is one German word.",
)  # fmt: skip


def documents(seed: int = 11, count: int = 300) -> Iterator[tuple[str, list[Case]]]:
    """Yield documents of several paragraphs, some with a secret in them, and its label."""
    rng = random.Random(seed)
    cases = [case for case in (*credentials(seed), *personal(seed)) if "\n" not in case.text]
    for _ in range(count):
        parts = rng.sample(PARAGRAPHS, 4)
        inside = []
        if rng.random() < 0.6:
            case = rng.choice(cases)
            inside.append(case)
            parts.insert(rng.randrange(1, 4), case.text)
        yield "\n\n".join(parts), inside


def plain_text(size: int, seed: int = 3) -> str:
    """Return so many characters of such text without any secret, each paragraph reworded."""
    rng = random.Random(seed)
    out: list[str] = []
    length = 0
    while length < size:
        text = rng.choice(PARAGRAPHS[:2] + PARAGRAPHS[4:12] + PARAGRAPHS[17:] + _PROSE * 40)
        out.append(text)
        length += len(text) + 2
    return "\n\n".join(out)[:size]


_PROSE = (
    "The maintenance of the pump follows the plan of the manufacturer. Every shift looks at the pressure and at the "
    "temperature of the bearings, writes both down, and calls the engineer on duty when one of them leaves its range. "
    "What the engineer decides is written down as well, with the reason, so that the next shift understands it.",
    "Retrieval augmented generation answers questions from documents. The question is turned into a vector, the store "
    "returns the passages that lie nearest, and the model is asked to answer from these passages only, and to say so "
    "where they do not hold the answer. The quality of the answer depends on the passages more than on the model.",
    "Water enters the station through the northern inlet, passes the screens and the sand trap, and is pumped to the "
    "reservoir on the hill. In a dry summer two pumps run day and night; in winter one is enough, and the other is taken "
    "apart. Spare parts are kept in the store behind the workshop, sorted by machine and not by supplier.",
)  # fmt: skip
