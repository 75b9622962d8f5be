"""Writes what TensorFlow 1.15 tells of Keras' objects: run by its Python, from anywhere.

Each line of recorded/keras_configs.jsonl is an expression, and the configuration of its value as
TensorFlow has it; an expression with null after it is a new one. Imported by nothing.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded" / "keras_configs.jsonl"


def told(tf: Any, expression: str) -> Any:
    """Return the configuration of an expression's value, in JSON's terms."""
    tf.keras.backend.clear_session()
    names = {"tf": tf, "keras": tf.keras, "layers": tf.keras.layers}
    made = eval(expression, names)  # noqa: S307  of the file beside this one
    return json.loads(json.dumps(made.get_config(), default=dict))


def main() -> None:
    """Write the file anew."""
    tf = importlib.import_module("tensorflow.compat.v1")
    expressions = [json.loads(x)[0] for x in RECORDED.read_text().splitlines()]
    lines = [json.dumps([x, told(tf, x)]) + "\n" for x in expressions]
    RECORDED.write_text("".join(lines))


if __name__ == "__main__":
    main()
