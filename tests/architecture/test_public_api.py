"""What the package offers: the names it lists are those it has, and each is told and shown."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

import pytest

import tensorlite as tl
from tests.architecture.test_layers import LAYERS

# Public objects whose docstrings need no example, each with the reason.
WITHOUT_EXAMPLE: dict[str, str] = {}


def listed(module: ModuleType) -> list[str]:
    return list(getattr(module, "__all__", []))


def namespaces(module: ModuleType = tl) -> Iterator[ModuleType]:
    """Yield the package and the modules that it offers as namespaces, such as `tl.nn`."""
    yield module
    for name in listed(module):
        inner = getattr(module, name)
        if isinstance(inner, ModuleType):
            yield from namespaces(inner)


def public_objects() -> dict[str, object]:
    """Return the package's own functions and classes by the names under which it offers them."""
    found = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in namespaces()
        for name in listed(module)
    }
    return {
        name: value
        for name, value in found.items()
        if callable(value)
        and getattr(value, "__module__", "").partition(".")[0] == tl.__name__
    }


def own_doc(value: object) -> str:
    """Return the docstring of a function or class; a class's own, not one it inherits."""
    doc = (
        vars(value).get("__doc__")
        if isinstance(value, type)
        else inspect.getdoc(value)
    )
    return doc or ""


OBJECTS = public_objects()
CLASSES = {name: value for name, value in OBJECTS.items() if isinstance(value, type)}
MODULES = {module.__name__: module for module in namespaces()}


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_all_is_in_alphabetical_order(module: ModuleType) -> None:
    assert listed(module) == sorted(set(listed(module)))


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_all_names_are_there(module: ModuleType) -> None:
    missing = [name for name in listed(module) if not hasattr(module, name)]
    assert not missing


NAMESPACES = {
    name: module for name, module in MODULES.items() if name.count(".") == 1
}


@pytest.mark.parametrize("module", NAMESPACES.values(), ids=NAMESPACES)
def test_a_namespace_completes_to_what_it_offers(module: ModuleType) -> None:
    offered = listed(module)
    # Operators that other tests register are raw operators, too.
    assert dir(module) == offered or module.__name__.endswith(".raw_ops")


def test_nothing_else_is_offered() -> None:
    """The package's folders become its attributes when they are imported; they are not offered."""
    seen = {name for name in dir(tl) if not name.startswith("_")} - LAYERS.keys()
    assert (
        seen
        == {name for name in listed(tl) if not name.startswith("_")} - LAYERS.keys()
    )


@pytest.mark.parametrize("name", OBJECTS)
def test_every_public_object_is_told_and_shown(name: str) -> None:
    doc = own_doc(OBJECTS[name])
    assert doc.strip(), f"{name} has no docstring"
    assert ">>> " in doc or name in WITHOUT_EXAMPLE, (
        f"{name}'s docstring shows no example"
    )


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_method_is_told(name: str) -> None:
    members = inspect.getmembers(
        CLASSES[name],
        lambda member: inspect.isroutine(member) or isinstance(member, property),
    )
    silent = [
        key for key, value in members if key[0] != "_" and not inspect.getdoc(value)
    ]
    assert not silent, f"methods of {name} without a docstring: {silent}"


def test_exemptions_are_needed() -> None:
    needless = [
        name
        for name in WITHOUT_EXAMPLE
        if name not in OBJECTS or ">>> " in own_doc(OBJECTS[name])
    ]
    assert not needless, f"these are gone or have an example by now: {needless}"
