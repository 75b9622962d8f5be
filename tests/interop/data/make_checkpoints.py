"""Makes checkpoints in this folder with TensorFlow, which the tests then read without it.

Run it with a Python that has TensorFlow: `python make_checkpoints.py NAME`; the name says which
version it is. Only who changes the fixtures runs it, never a test.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

KINDS = [
    *("float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8"),
    *("bool", "complex64"),
]


def main(name: str) -> None:
    """Write a checkpoint of each format."""
    folder = Path(__file__).parent / name
    tf: Any = import_module("tensorflow")
    tf = tf.compat.v1
    tf.disable_v2_behavior()
    ramp = np.arange(-3, 9).reshape(3, 4)
    with tf.Graph().as_default(), tf.Session() as session:
        for kind in KINDS:
            tf.get_variable(kind, initializer=tf.constant(ramp.astype(kind)))
        first = [x for x in tf.global_variables() if x.dtype.base_dtype != tf.float16]
        tf.get_variable("bf", initializer=tf.cast(ramp[0], tf.bfloat16))
        tf.get_variable("text", initializer=tf.constant([b"a", b"", b"\xff" * 200]))
        with tf.variable_scope("scope", partitioner=tf.fixed_size_partitioner(3)):
            part = tf.get_variable(
                "part", (70, 2), initializer=tf.zeros_initializer()
            )
        session.run(tf.global_variables_initializer())
        rows = np.arange(140, dtype=np.float32).reshape(70, 2)
        begin = 0
        for one in part:
            end = begin + one.shape.as_list()[0]
            session.run(one.assign(rows[begin:end]))
            begin = end
        saving = {"write_meta_graph": False, "write_state": False}
        tf.train.Saver().save(session, str(folder / "second"), **saving)
        tf.train.Saver([*first, *part], write_version=1).save(
            session, str(folder / "first"), **saving
        )


if __name__ == "__main__":
    main(sys.argv[1])
