"""`record` runs what it is told to, and keeps what happened even when it goes wrong."""

import json
import os

import pytest

from inspector.runfile.load import load_run
from tests.cli.commands import program

pytest.importorskip("haystack", reason="recording needs the framework")
pytestmark = pytest.mark.haystack
PLANS = "tests.cli.plans"


@pytest.fixture
def data(tmp_path):
    def write(tree):
        path = tmp_path / "data.json"
        path.write_text(json.dumps(tree))
        return path

    return write


@pytest.fixture
def output(tmp_path):
    return tmp_path / "out.run.json"


@pytest.mark.parametrize("target", ["PIPELINE", "echo", "echo_later"])
def test_a_pipeline_or_what_returns_one_is_run_and_kept(target, data, output):
    path = data({"echo": {"text": "hello"}})
    answer = program("record", f"{PLANS}:{target}", "--data", path, "-o", output)
    assert (answer.code, answer.out) == (0, f"{output}\n")
    assert "echo: completed in" in answer.err
    run = load_run(output)
    assert run.status == "completed"
    assert run.at("echo#1").outputs == {"said": "hello"}
    assert {path.name for path in output.parent.iterdir()} == {"data.json", "out.run.json"}


def test_a_component_is_run_by_itself(data, output):
    path = data({"text": "hello"})
    answer = program("record", f"{PLANS}:part", "--data", path, "-o", output)
    assert answer.err.rstrip().endswith(", 1 span")
    answer = program("record", f"{PLANS}:part", "--data", path, "-o", output, "--json")
    assert answer.code == 0
    told = json.loads(answer.out)
    assert (told["status"], told["path"]) == ("completed", str(output))
    assert load_run(output).outputs == {"said": "hello"}


def test_data_may_come_from_standard_input_and_the_run_may_be_compressed(tmp_path):
    output = tmp_path / "out.run.json.gz"
    answer = program("record", f"{PLANS}:echo", "--data", "-", "-o", output,
                     sent=b'{"echo": {"text": "hi"}}')  # fmt: skip
    assert answer.code == 0
    assert output.read_bytes().startswith(b"\x1f\x8b")
    assert load_run(output).outputs == {"echo": {"said": "hi"}}


def test_run_async_can_be_asked_for(data, output):
    path = data({"echo": {"text": "hello"}})
    answer = program("record", f"{PLANS}:echo", "--data", path, "-o", output, "--async")
    assert answer.code == 0
    assert load_run(output).mode == "async"


def test_messages_and_documents_are_made_from_what_json_can_say(data, output):
    path = data(
        {
            "last": {
                "messages": [{"role": "user", "content": "hello"}],
                "documents": [{"content": "a"}, {"content": "b"}],
            }
        }
    )
    answer = program("record", f"{PLANS}:last", "--data", path, "-o", output)
    assert answer.code == 0, answer.err
    assert load_run(output).outputs == {"last": {"said": "hello (2)"}}


def test_a_run_that_fails_shows_its_own_error_and_where_the_rest_is(data, output):
    path = data({"echo": {"text": "boom"}})
    answer = program("record", f"{PLANS}:echo", "--data", path, "-o", output)
    assert answer.code == 1
    assert answer.out == f"{output}\n"
    assert "ValueError: it went boom" in answer.err
    assert "Run Inspector recorded this run in" not in answer.err, "that file has its name now"
    assert answer.err.rstrip().endswith(f"The run failed. What happened until then is in {output}.")
    run = load_run(output)
    assert run.status == "failed"
    assert run.at("echo#1").error.message.endswith("it went boom")


def test_a_directory_as_output_is_refused_before_anything_runs(tmp_path, data):
    answer = program("record", f"{PLANS}:echo", "--data", data({"echo": {"text": "boom"}}),
                     "-o", tmp_path)  # fmt: skip
    assert answer.code == 2
    assert answer.err == (
        f"run-inspector: Cannot write {tmp_path}: it is a directory.\n  Name a file in it.\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
def test_what_is_no_ordinary_file_is_not_replaced(data, output):
    os.mkfifo(output)
    answer = program("record", f"{PLANS}:echo", "--data", data({"echo": {"text": "hi"}}),
                     "-o", output)  # fmt: skip
    assert answer.code == 2
    assert answer.err == f"run-inspector: Cannot write {output}: it is not an ordinary file.\n"
    assert output.is_fifo()


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_an_output_that_is_a_link_stays_one(tmp_path, data, output):
    (tmp_path / "kept").mkdir()
    output.symlink_to(tmp_path / "kept" / "real.run.json")
    answer = program("record", f"{PLANS}:echo", "--data", data({"echo": {"text": "hi"}}),
                     "-o", output)  # fmt: skip
    assert (answer.code, answer.out) == (0, f"{output}\n")
    assert output.is_symlink()
    assert load_run(tmp_path / "kept" / "real.run.json").status == "completed"


@pytest.mark.skipif(os.name == "nt", reason="signals are different there")
def test_a_run_that_is_stopped_from_the_keyboard_is_kept(data, output):
    path = data({"echo": {"text": "stop"}})
    answer = program("record", f"{PLANS}:echo", "--data", path, "-o", output)
    assert answer.code == 130
    assert f"What happened until then is in {output}." in answer.err
    assert len(load_run(output).spans) >= 1


def test_a_yaml_is_loaded_and_run(tmp_path, data, output):
    from tests.cli.plans import rag

    yaml = tmp_path / "rag.yaml"
    yaml.write_text(rag().dumps())
    answer = program("record", yaml, "--data", data({"retriever": {"query": "x"}}), "-o", output)
    assert answer.code == 0, answer.err
    assert load_run(output).at("builder#1").outputs["prompt"][0]["content"] == [{"text": "0"}]


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("nonsense", "nonsense does not say what to run."),
        (f"{PLANS}:", f"{PLANS}: does not say what to run."),
        ("no_such_module:x", "There is no module no_such_module."),
        ("tests.cli.no_such:x", "There is no module tests.cli.no_such."),
        (f"{PLANS}:nothing", f"There is no nothing in {PLANS}."),
        (f"{PLANS}:NUMBER", f"{PLANS}:NUMBER cannot be run: its type is int."),
        (f"{PLANS}:broken", f"{PLANS}:broken() failed: RuntimeError: no pipeline today."),
        ("gone.yaml", "Cannot read gone.yaml: No such file or directory."),
    ],
)
def test_what_cannot_be_run_is_said(target, sentence, output):
    answer = program("record", target, "-o", output)
    assert answer.code == 2
    assert answer.err.splitlines()[0] == f"run-inspector: {sentence}"
    assert not output.exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("{", "is not JSON"), ("[" * 100_000, "is not JSON"),
     ('{"last": {"messages": [{"role": "nobody", "content": 5}]}}', "that Haystack refuses")],
)  # fmt: skip
def test_data_that_cannot_be_used_is_said(tmp_path, text, sentence, output):
    path = tmp_path / "data.json"
    path.write_text(text)
    answer = program("record", f"{PLANS}:last", "--data", path, "-o", output)
    assert answer.code == 2
    assert sentence in answer.err
    assert "Traceback" not in answer.err


def test_data_from_standard_input_is_called_that(output):
    answer = program("record", f"{PLANS}:last", "--data", "-", "-o", output, sent=b"{")
    assert answer.code == 2
    assert answer.err.startswith("run-inspector: Standard input is not JSON")


def test_a_place_that_is_not_there_is_said_before_anything_runs(tmp_path):
    answer = program("record", f"{PLANS}:broken", "-o", tmp_path / "nowhere" / "out.run.json")
    assert answer.code == 2
    assert "There is no directory" in answer.err
