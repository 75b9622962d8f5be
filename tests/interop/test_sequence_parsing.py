"""Examples of sequences in GraphDefs, several at once; expected is TensorFlow 2.21's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.interop.tensorflow.attributes import Shape
from tests.interop.graphdefs import Program
from tests.interop.test_wording import texts


def sequence(
    context: Mapping[str, Any], steps: Mapping[str, list[Any]]
) -> tl.io.SequenceExample:
    """Return the bytes of a context, and of lists of which None is a step without a kind."""
    made = tl.io.SequenceExample()
    for key, values in context.items():
        _put(made.context.feature[key], values)
    for key, rows in steps.items():
        made.feature_lists.feature_list[key].SetInParent()
        for row in rows:
            _put(made.feature_lists.feature_list[key].feature.add(), row)
    return made.SerializeToString()


def _put(feature: Any, values: list[Any] | None) -> None:
    if values is None:
        return
    kinds = {str: "bytes_list", int: "int64_list", float: "float_list"}
    data = [x.encode() if isinstance(x, str) else x for x in values]
    getattr(feature, kinds[type(values[0])]).value.extend(data)


FIRST = sequence(
    {"n": [3], "s": ["a", "b"]},
    {"f": [[1.0, 2.0], [3.0, 4.0]], "w": [["x"], ["y", "z"], None]},
)
SECOND = sequence({"n": [4]}, {"f": [[5.0, 6.0]], "w": []})
THIRD = sequence({"n": [4]}, {"w": [["q"]]})


def vector(*values: Any) -> np.ndarray[Any, Any]:
    """Return byte strings as a vector."""
    made = np.empty(len(values), object)
    made[:] = values
    return made


def parsed(serialized: Any, ragged: bool, may_miss: bool = False) -> list[Any]:
    """Return what ParseSequenceExampleV2 gives."""
    made = Program()
    made.const("x", serialized)
    made.const("debug", vector())
    words = {"sparse": texts() if ragged else texts("w")}
    words["ragged"] = texts("w") if ragged else texts()
    names = {
        "c_sparse": texts("s"),
        "c_dense": texts("n"),
        "c_ragged": texts(),
        "l_sparse": words["sparse"],
        "l_dense": texts("f"),
        "l_ragged": words["ragged"],
    }
    for name, keys in names.items():
        made.const(name, keys)
    made.const("may_miss", np.array([may_miss]))
    made.const("default", np.zeros(0, np.int64))
    some, none = (tl.string,), ()
    made.node(
        *("ParseSequenceExampleV2", "y", "x", "debug", *names, "may_miss", "default"),
        Tcontext_dense=(tl.int64,),
        Ncontext_sparse=1,
        context_sparse_types=(tl.string,),
        context_ragged_value_types=(),
        context_ragged_split_types=(),
        context_dense_shapes=(Shape(()),),
        Nfeature_list_sparse=0 if ragged else 1,
        Nfeature_list_dense=1,
        feature_list_dense_types=(tl.float32,),
        feature_list_sparse_types=none if ragged else some,
        feature_list_ragged_value_types=some if ragged else none,
        feature_list_ragged_split_types=(tl.int32,) if ragged else (),
        feature_list_dense_shapes=(Shape((2,)),),
    )
    count = 9
    found = made.session().run([f"y:{i}" for i in range(count)])
    return [x.tolist() for x in found]


CONTEXT: list[Any] = [[[0, 0], [0, 1]], [b"a", b"b"], [2, 2], [3, 4]]
DENSE: list[Any] = [[[[1, 2], [3, 4]], [[5, 6], [0, 0]]], [2, 1]]


def test_lists_of_several_examples_are_sparse_or_filled_up() -> None:
    words = [[[0, 0, 0], [0, 1, 0], [0, 1, 1]], [b"x", b"y", b"z"], [2, 3, 2]]
    got = parsed(vector(FIRST, SECOND), ragged=False)
    assert got == [*CONTEXT, *words, *DENSE]


def test_ragged_lists_keep_steps_that_are_empty() -> None:
    words = [[b"x", b"y", b"z"], [0, 3, 3], [0, 1, 3, 3]]
    got = parsed(vector(FIRST, SECOND), ragged=True)
    assert got == [*CONTEXT, *DENSE, *words]


def test_one_example_has_no_axis_of_examples() -> None:
    got = parsed(np.array(FIRST, object), ragged=False)
    assert got[:4] == [[[0], [1]], [b"a", b"b"], [2], 3]
    assert got[4:7] == [[[0, 0], [1, 0], [1, 1]], [b"x", b"y", b"z"], [3, 2]]
    assert got[7:] == [[[1, 2], [3, 4]], 2]


def test_a_list_is_missing_only_where_it_may() -> None:
    got = parsed(vector(FIRST, THIRD), ragged=False, may_miss=True)
    assert got[7:] == [[[[1, 2], [3, 4]], [[0, 0], [0, 0]]], [2, 0]]
    with pytest.raises(InvalidArgumentError, match="'f' is required but"):
        parsed(vector(FIRST, THIRD), ragged=False)


def test_the_older_operator_has_its_keys_as_attributes() -> None:
    made = Program()
    made.const("x", vector(FIRST, SECOND))
    made.const("debug", vector())
    made.const("default", np.zeros(0, np.int64))
    made.node(
        *("ParseSequenceExample", "y", "x", "debug", "default"),
        feature_list_dense_missing_assumed_empty=(),
        context_sparse_keys=("s",),
        context_dense_keys=("n",),
        feature_list_sparse_keys=("w",),
        feature_list_dense_keys=("f",),
        Ncontext_sparse=1,
        Ncontext_dense=1,
        Nfeature_list_sparse=1,
        Nfeature_list_dense=1,
        context_sparse_types=(tl.string,),
        Tcontext_dense=(tl.int64,),
        feature_list_dense_types=(tl.float32,),
        context_dense_shapes=(Shape(()),),
        feature_list_sparse_types=(tl.string,),
        feature_list_dense_shapes=(Shape((2,)),),
    )
    got = [x.tolist() for x in made.session().run([f"y:{i}" for i in range(9)])]
    assert got == parsed(vector(FIRST, SECOND), ragged=False)
