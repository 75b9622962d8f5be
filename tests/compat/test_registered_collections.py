"""Collections of which libraries register how they are written: as TensorFlow 1.15 does it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import count
from typing import Any

import pytest

from tensorlite.compat import v1

tf: Any = v1
ops: Any = import_module("tensorlite.compat.v1.python.framework.ops")
_numbers = count()


class Label:
    """A member of a collection: a text with the scope that it is in."""

    def __init__(self, text: str, scope: str) -> None:
        self.text, self.scope = text, scope


@pytest.fixture
def name() -> Iterator[str]:
    with tf.Graph().as_default():
        yield f"labels_{next(_numbers)}"


def _to_proto(label: Any, export_scope: str | None = None) -> Any:
    if label.text == "hidden":
        return None
    feature = tf.train.Feature()
    feature.bytes_list.value.append(f"{export_scope}|{label.text}".encode())
    return feature


def _from_proto(feature: Any, import_scope: str | None = None) -> Any:
    return Label(feature.bytes_list.value[0].decode(), f"{import_scope}")


def _register(name: str) -> None:
    ops.register_proto_function(name, tf.train.Feature, _to_proto, _from_proto)


def test_members_are_written_as_messages_and_read_again(name: str) -> None:
    _register(name)
    for text in ("first", "hidden", "second"):
        tf.add_to_collection(name, Label(text, ""))
    tf.constant(1.0)
    written = tf.train.export_meta_graph()
    assert len(written.collection_def[name].bytes_list.value) == 2
    with tf.Graph().as_default():
        tf.train.import_meta_graph(written, import_scope="outer")
        read = tf.get_collection(name)
    found = [(x.text, x.scope) for x in read]
    assert found == [("None|first", "outer"), ("None|second", "outer")]


def test_members_of_collections_without_functions_are_not_written(name: str) -> None:
    tf.add_to_collection(name, Label("first", ""))
    tf.constant(1.0)
    assert name not in tf.train.export_meta_graph().collection_def


def test_what_is_registered_is_found_again(name: str) -> None:
    assert ops.get_to_proto_function(name) is None
    _register(name)
    assert ops.get_collection_proto_type(name) is tf.train.Feature
    assert ops.get_to_proto_function(name) is _to_proto
    assert ops.get_from_proto_function(name) is _from_proto
    with pytest.raises(KeyError, match="Registering two proto functions with name"):
        _register(name)


def test_only_functions_are_registered(name: str) -> None:
    with pytest.raises(TypeError, match="to_proto must be callable"):
        ops.register_proto_function(name, tf.train.Feature, 3)
