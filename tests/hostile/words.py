"""What somebody who means ill writes where a text is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

# Stands in every hostile text, so that whoever acts on one is known by it.
MARK = "ill_will"
CONTROLS = "\x00\x07\x08\x1b\x7f\x85\x9b\x9d\u200b\u200f\u202a\u202e\u2066\u2069\u2028\u2029\ufeff"


@dataclass(frozen=True)
class Bait:
    """What is there to be read, fetched and imported by whoever follows a file.

    Attributes:
        url: Where a server listens that nobody should ask.
        folder: Where files and a module lie that nobody should open.

    """

    url: str
    folder: Path

    @property
    def secret(self) -> Path:
        return self.folder / f"{MARK}.txt"

    @property
    def picture(self) -> Path:
        return self.folder / f"{MARK}.png"

    @property
    def module(self) -> str:
        return f"{MARK}_module"

    def lay(self) -> None:
        """Put everything there."""
        self.folder.mkdir()
        self.secret.write_text("of the user")
        self.picture.write_bytes(b"\x89PNG\r\n\x1a\n")
        (self.folder / f"{self.module}.py").write_text("class Component: ...\n")

    def markup(self) -> str:
        """Return markup for browsers and for Qt, which guesses from how a text begins."""
        return (
            f'<img src="{self.picture.as_uri()}"><img src={self.url}/{MARK}.png onerror=alert(1)>'
            f"<script>{MARK}()</script><svg/onload=alert(2)><a href='javascript:{MARK}()'>x</a>"
            f'<link rel=stylesheet href="{self.url}/x.css"><style>@import "{self.url}";</style>'
            f'<iframe src="{self.secret.as_uri()}"></iframe><!-- --></script></style></title>'
            "</textarea></noscript></template>]]><base href=//x.example>\"' onload='alert(3)' x=\""
        )

    def rich(self) -> str:
        """Return what Qt takes for rich text at once, or for Markdown where it is laid out."""
        return (
            f'<qt><table background="{self.picture}"><tr><td><img src="{self.picture}"/>{MARK}'
            f"</td></tr></table></qt>\n\n![p]({self.url}/{MARK}.png) ![q]({self.picture.as_uri()})"
            f"\n\n[l]({self.secret.as_uri()})\n\n<img src='{self.url}/{MARK}'>\n\n```html\n<b>\n"
        )

    def terminal(self) -> str:
        """Return what a terminal obeys, and what turns the direction of reading."""
        return (
            f"\x1b]0;{MARK}\x07\x1b[2J\x1b[31m\x1b]8;;{self.url}\x1b\\link\x1b]8;;\x1b\\"
            f"\x1bP+q544e\x1b\\\x9b31m\x9d52;c;{MARK}\x9c\r{MARK}\x08\x08{CONTROLS}exe.gnp\u202c"
        )

    def program(self) -> str:
        """Return what is a program, a template or a path for whoever runs, fills or follows it."""
        return (
            f"{{{{ ''.__class__ }}}}{{% import os %}}${{{MARK}}}$(touch {self.secret}) `id`; "
            f"{{0.__class__}} %s%n%(x)s !!python/object/apply:os.system ['{MARK}'] "
            f"@file {self.secret} ../../../../etc/passwd {self.module}.Component"
        )

    def everything(self) -> str:
        return f"{self.markup()} {self.terminal()} {self.program()} {self.rich()}"
