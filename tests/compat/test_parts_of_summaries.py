"""What libraries make summaries and descriptions of: tensorflow.python's own helpers."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
import tensorlite.compat.v2 as tf2

INSIDES = ["tensorlite.compat.v1.python", "tensorlite.compat.v2.python"]


@pytest.mark.parametrize("inside", INSIDES)
def test_summaries_of_libraries_have_tensorflows_tags(inside: str) -> None:
    parts: Any = import_module(f"{inside}.ops.summary_op_util")
    with tf.Graph().as_default() as graph, tf.name_scope("top"):
        with parts.summary_scope("a b", "fam ily", values=[]) as (tag, scope):
            made = tf.summary.scalar("inner", tf.constant(1.0), collections=[])
        again = [parts.summary_scope("a b", "fam ily") for _ in range(2)]
        tags = [with_tag.__enter__()[0] for with_tag in again[:1]]
        parts.collect(made, None, [tf.GraphKeys.SUMMARIES])
        parts.collect(made, ["mine"], [tf.GraphKeys.SUMMARIES])
    # What TensorFlow 1.15 yields.
    assert (tag, scope) == ("fam_ily/top/fam_ily/a_b", "top/fam_ily/a_b/")
    assert tags == ["fam_ily/top/fam_ily/a_b_1"]
    assert graph.get_collection(tf.GraphKeys.SUMMARIES) == [made]
    assert graph.get_collection("mine") == [made]
    assert parts.clean_tag(None) is None


@pytest.mark.usefixtures("four_cpus")
def test_replicas_but_the_first_leave_summaries_out() -> None:
    skip: Any = import_module(f"{INSIDES[0]}.distribute.summary_op_util").skip_summary
    assert skip() is False
    strategy = tf2.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    told: list[bool] = []
    strategy.run(lambda: told.append(skip()))
    assert sorted(told) == [False, True]


@pytest.mark.parametrize("inside", INSIDES)
def test_values_have_forms_in_json(inside: str) -> None:
    form: Any = import_module(f"{inside}.util.serialization").get_json_type
    layer = tf2.keras.layers.Flatten(name="flat")
    told = json.dumps(
        [
            *(np.arange(2), np.int64(3), tf.float32, tf.TensorShape([None, 2])),
            *(tf.Dimension(4), len, dict, ...),
        ],
        default=form,
    )
    # What TensorFlow 2.21 writes.
    assert told == (
        '[[0, 1], 3, "float32", [null, 2], 4, "len", "dict", '
        '{"class_name": "__ellipsis__"}]'
    )
    assert form(layer)["class_name"] == "Flatten"
    with pytest.raises(TypeError, match="get_config"):
        form(object())
