"""Files, flags, logs, errors and text by TensorFlow's names."""

from __future__ import annotations

import logging as standard
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.compat.shared import resource_loader, text
from tensorlite.compat.v1 import errors, gfile, logging, sysconfig

pytestmark = pytest.mark.filterwarnings("error")


def test_files_are_written_and_read(tmp_path: Path) -> None:
    name = str(tmp_path / "a.txt")
    with gfile.GFile(name, "w") as file:
        file.write("one\n")
        file.write(b"two\n")
    with gfile.FastGFile(name, "rb") as file:
        assert (file.size(), file.readline(), file.read(2), file.tell()) == (
            8,
            b"one\n",
            b"tw",
            6,
        )
        file.seek(0)
        assert list(file) == [b"one\n", b"two\n"]
    with gfile.Open(name) as file:
        assert file.readlines() == ["one\n", "two\n"]
        with pytest.raises(
            errors.PermissionDeniedError, match="isn't open for writing"
        ):
            file.write("x")
    with gfile.GFile(name, "a") as file:
        file.write("three")
    assert gfile.GFile(name).read() == "one\ntwo\nthree"
    gfile.GFile(str(tmp_path / "empty"), "w").close()
    assert gfile.Exists(tmp_path / "empty")
    with pytest.raises(errors.NotFoundError, match="No such file"):
        gfile.GFile(str(tmp_path / "none")).read()
    with pytest.raises(errors.InvalidArgumentError, match="mode='x'"):
        gfile.GFile(name, "x")


def test_bytes_that_are_no_text_are_written_into_files_of_text(
    tmp_path: Path,
) -> None:
    """TensorFlow's files know no difference; programs write pictures so."""
    name = str(tmp_path / "picture.png")
    with gfile.GFile(name, "w") as file:
        file.write("a")
        file.write(b"\x89PNG\r\n")
        file.write("b")
    assert Path(name).read_bytes() == b"a\x89PNG\r\nb"


def test_folders(tmp_path: Path) -> None:
    base = str(tmp_path / "one")
    gfile.MakeDirs(f"{base}/two/three")
    gfile.MakeDirs(base)
    gfile.MkDir(f"{base}/four")
    with pytest.raises(errors.AlreadyExistsError):
        gfile.MkDir(f"{base}/four")
    for name in ("b", "a"):
        Path(f"{base}/two/{name}.txt").write_text(name)
    assert gfile.ListDirectory(base) == ["four", "two"]
    assert gfile.ListDirectory(f"{base}/two") == ["a.txt", "b.txt", "three"]
    assert gfile.Glob(f"{base}/two/*.txt") == [
        f"{base}/two/a.txt",
        f"{base}/two/b.txt",
    ]
    assert gfile.IsDirectory(base)
    assert not gfile.IsDirectory(f"{base}/two/a.txt")
    walked = [(Path(x).name, y, z) for x, y, z in gfile.Walk(base)]
    assert walked == [
        ("one", ["four", "two"], []),
        ("four", [], []),
        ("two", ["three"], ["a.txt", "b.txt"]),
        ("three", [], []),
    ]
    gfile.Copy(f"{base}/two/a.txt", f"{base}/c")
    with pytest.raises(errors.AlreadyExistsError, match="overwrite=True"):
        gfile.Copy(f"{base}/two/b.txt", f"{base}/c")
    gfile.Rename(f"{base}/two/b.txt", f"{base}/c", overwrite=True)
    assert (gfile.GFile(f"{base}/c").read(), gfile.Stat(f"{base}/c").length) == (
        "b",
        1,
    )
    gfile.Remove(f"{base}/c")
    gfile.DeleteRecursively(base)
    assert not gfile.Exists(base)
    for missing in (
        gfile.Remove,
        gfile.DeleteRecursively,
        gfile.ListDirectory,
        gfile.Stat,
    ):
        with pytest.raises(errors.NotFoundError):
            missing(base)


PROGRAM = """
import sys
from tensorlite.compat.v1 import app, flags
flags.DEFINE_string("name", "none", "A name.")
flags.DEFINE_integer("count", default_value=3, docstring="A number.")
flags.DEFINE_float("rate", 0.5, "A rate.")
flags.DEFINE_boolean("loud", False, "Whether.")
flags.DEFINE_bool("plain", True, "Whether.")
flags.DEFINE_enum("kind", "a", ["a", "b"], "Which.")
flags.DEFINE_list("parts", "x,y", "What of.")
FLAGS = app.flags.FLAGS
def main(argv):
    print(FLAGS.name, FLAGS.count, FLAGS.rate, FLAGS.loud, FLAGS.plain, FLAGS.kind, FLAGS.parts)
    print(argv[1:])
    return 3
if "early" in sys.argv:
    sys.argv.remove("early")
    print(FLAGS.count)
if __name__ == "__main__":
    app.run()
"""


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = folder / "program.py"
    path.write_text(PROGRAM)
    return subprocess.run(
        [sys.executable, str(path), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_flags_are_those_of_the_programs_module(tmp_path: Path) -> None:
    """Their help lists them, and their table, which programs print, has them unparsed, too."""
    pytest.importorskip("absl")
    told = ran(tmp_path, "--help").stdout
    assert "--count: A number.\n    (default: '3')" in told
    program = tmp_path / "table.py"
    program.write_text(
        "from tensorlite.compat.v1 import flags\n"
        "flags.DEFINE_integer('count', 3, 'A number.')\n"
        "print(flags.FLAGS.__flags['count'].value, flags.FLAGS.is_parsed())\n"
        "print(flags.FLAGS.find_module_defining_flag('count') == __file__)\n"
    )
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "3 False\nTrue\n"


def test_flags_and_app(tmp_path: Path) -> None:
    pytest.importorskip("absl")
    done = ran(tmp_path)
    assert (done.returncode, done.stdout) == (
        3,
        "none 3 0.5 False True a ['x', 'y']\n[]\n",
    )
    done = ran(
        tmp_path,
        "--name=n",
        "--count",
        "7",
        "--loud",
        "--noplain",
        "--kind=b",
        "--parts=",
        "rest",
    )
    assert done.stdout == "n 7 0.5 True False b []\n['rest']\n"
    assert ran(tmp_path, "--unknown=1").stdout.endswith("['--unknown=1']\n")
    assert ran(tmp_path, "early", "--count=9").stdout.startswith("9\n")
    wrong = ran(tmp_path, "--count=many")
    assert wrong.returncode == 1
    assert "many" in wrong.stderr


def test_logs(caplog: pytest.LogCaptureFixture) -> None:
    before = logging.get_verbosity()
    logging.set_verbosity(logging.INFO)
    logging.info("%d of %s", 1, "two")
    logging.debug("not said")
    logging.warn("warned")
    for i in range(5):
        logging.log_every_n(logging.ERROR, "every %d", 3, i)
        logging.log_first_n(logging.FATAL, "first %d", 2, i)
        logging.log_if(logging.INFO, "even", i % 4 == 0)
    assert logging.get_verbosity() == standard.INFO
    logging.set_verbosity(before)
    said = [(x.levelname, x.getMessage()) for x in caplog.records]
    assert said == [
        ("INFO", "1 of two"),
        ("WARNING", "warned"),
        ("ERROR", "every 0"),
        ("CRITICAL", "first 0"),
        ("INFO", "even"),
        ("CRITICAL", "first 1"),
        ("ERROR", "every 3"),
        ("INFO", "even"),
    ]
    assert {x.filename for x in caplog.records} == {"test_platform.py"}
    assert {x.name for x in caplog.records} == {"tensorflow"}


def test_errors_are_those_that_are_raised() -> None:
    with pytest.raises(errors.OpError) as caught:
        tl.matmul(tl.ones((2, 3)), tl.ones((2, 3)))
    assert isinstance(caught.value, errors.InvalidArgumentError)
    assert caught.value.error_code == errors.INVALID_ARGUMENT == 3
    for code in range(1, 17):
        kind = errors.exception_type_from_error_code(code)
        error = kind(None, "op", "what went wrong")
        assert (str(error), error.message, error.op) == ("what went wrong",) * 2 + (
            "op",
        )
        assert error.error_code == errors.error_code_from_exception_type(kind) == code
        again: Any = pickle.loads(pickle.dumps(error))  # noqa: S301  made right here
        assert (type(again), str(again)) == (kind, "what went wrong")


def test_text() -> None:
    assert (
        text.as_bytes("é") == "é".encode() == text.as_bytes(bytearray("é".encode()))
    )
    assert text.as_text(b"a") == text.as_str("a") == text.as_str_any(b"a") == "a"
    assert text.as_str_any(3) == "3"
    assert text.path_to_str(Path("a/b")) == "a/b"
    for convert in (text.as_bytes, text.as_text):
        with pytest.raises(TypeError, match="Expected binary or unicode string"):
            convert(3)


def test_files_beside_the_program() -> None:
    here = Path(__file__).resolve()
    assert resource_loader.get_data_files_path() == str(here.parent)
    assert resource_loader.get_path_to_datafile(here.name) == str(here)
    assert resource_loader.load_resource(here.name) == here.read_bytes()
    with pytest.raises(errors.NotFoundError):
        resource_loader.load_resource("none")
    with pytest.raises(errors.UnimplementedError, match=r"tl\.Op"):
        sysconfig.get_include()


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*b", ["./ab"]),
        ("a[bc]", ["./ab", "./ac"]),
        ("ab", ["ab"]),
        ("./a*", ["./ab", "./ac"]),
        ("d/*", ["d/e"]),
        ("d*/e/*", ["./d/e/f"]),
        ("nothing*", []),
    ],
)
def test_names_that_match_begin_where_tensorflows_do(
    pattern: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d" / "e").mkdir(parents=True)
    for name in ("ab", "ac", "d/e/f"):
        (tmp_path / name).write_text("")
    assert gfile.Glob(pattern) == found
    assert tl.io.matching_files(pattern).tolist() == [x.encode() for x in found]
