"""What is found in the texts that people write on GitHub."""

from inspector.sources.service import PUBLIC
from inspector.sources.texts import held_by


def test_attachments_are_found_wherever_they_are_linked_and_each_once() -> None:
    address = "https://github.com/user-attachments/files/12/a.run.json"
    held = held_by(f"[a]({address}) and <{address}>, {address}.", PUBLIC)
    assert [link.address for link in held.files] == [address]


def test_pictures_and_other_pages_are_no_attachments() -> None:
    text = """![x](https://github.com/user-attachments/files/12/a.png)
    https://example.org/user-attachments/files/12/a.json https://github.com/a/b/issues/7"""
    assert held_by(text, PUBLIC).files == ()


def test_gists_are_found_by_page_and_by_raw_file() -> None:
    text = """https://gist.github.com/joan/0123456789abcdef
    https://gist.githubusercontent.com/joan/0123456789abcdef/raw/aa/a.json
    https://gist.github.com/fedcba9876543210"""
    gists = held_by(text, PUBLIC).gists
    assert [link.id for link in gists] == ["0123456789abcdef", "fedcba9876543210"]


def test_blocks_between_fences_are_found_in_lists_details_and_quotes() -> None:
    text = """<details>

```json
{"a": 1}
```
</details>

1. so
   ~~~~
   {"b": 2,
    "c": "```"}
   ~~~~
> ```
> {"d": 3}
> ```

```python
print("{}")
```"""
    assert held_by(text, PUBLIC).blocks == ('{"a": 1}', '{"b": 2,\n "c": "```"}', '{"d": 3}')


def test_a_fence_that_nobody_closes_ends_with_the_text() -> None:
    assert held_by('```\n{"a": 1}\n', PUBLIC).blocks == ('{"a": 1}',)


def test_line_ends_of_a_browser_are_line_ends() -> None:
    assert held_by('```json\r\n{"a": 1}\r\n```\r\n', PUBLIC).blocks == ('{"a": 1}',)
