"""dir() of TensorFlow's namespaces, which prompts complete from, shows what programs use."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf2
from tensorlite.compat.missing import known_names
from tests.architecture.source import ROOT
from tests.compatibility import reached

THERE = [x for x in known_names() if isinstance(reached(x), ModuleType)]
INTERNAL = {
    "annotations",
    "Any",
    "Callable",
    "attribute_error",
    "listing",
    "tl",
    "np",
}


@pytest.mark.parametrize("title", THERE)
def test_what_is_listed_is_there_and_what_modules_import_is_not_listed(
    title: str,
) -> None:
    module = reached(title)
    names = dir(module)
    assert names, title
    assert not INTERNAL.intersection(names), title
    for name in names:
        assert hasattr(module, name), name


@pytest.mark.parametrize("title", THERE)
def test_every_name_of_tensorflow_that_is_there_is_listed(title: str) -> None:
    module = reached(title)
    there = {x for x in known_names()[title] if x[0] != "_" and hasattr(module, x)}
    assert there <= set(dir(module)), sorted(there - set(dir(module)))


@pytest.mark.parametrize("title", THERE)
def test_help_tells_of_every_function_and_class(title: str) -> None:
    module = reached(title)
    called = {x: getattr(module, x) for x in dir(module) if x in known_names()[title]}
    ours = {
        name: value
        for name, value in called.items()
        if callable(value)
        and str(getattr(value, "__module__", "")).startswith("tensorlite")
    }
    assert [name for name, value in ours.items() if not inspect.getdoc(value)] == []


def test_names_that_are_made_at_first_use_are_listed() -> None:
    assert {"Example", "Server", "MonitoredSession"} <= set(dir(tf1.train))
    assert {"GraphDef", "keras", "function"} <= set(dir(tf1))
    assert {"MatMul", "Switch"} <= set(dir(tf2.raw_ops))


def test_version_1_does_not_look_like_version_2() -> None:
    # Programs ask so which optimizers there are.
    assert not hasattr(tf1, "optimizers")
    assert hasattr(tf2, "optimizers")


def test_modules_that_say_what_is_near_say_what_there_is() -> None:
    folder = ROOT / "src" / "tensorlite" / "compat"
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        asked = "\ndef __getattr__" in text or "\n__getattr__ = " in text
        if asked and path.name != "messages.py":
            assert "__dir__" in text, path.relative_to(folder)
