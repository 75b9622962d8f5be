"""op_def: signatures of TensorFlow's operators as its messages. What they say: signatures.py."""

from __future__ import annotations

from functools import cache
from typing import Any

from tensorlite.interop.tensorflow.attributes import proto_of_value
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.signatures import NUMBERS, Argument, signature_of


@cache
def op_def(name: str) -> Any:
    """Return the OpDef of an operator of TensorFlow, None where it has none of that name.

    >>> made = op_def("MatMul")
    >>> [x.name for x in made.input_arg], made.attr[0].default_value.b
    (['a', 'b'], False)
    """
    signature = signature_of(name)
    if signature is None:
        return None
    made = message("OpDef")(name=name, is_stateful=signature.is_stateful)
    for given, listed in (
        (signature.inputs, made.input_arg),
        (signature.outputs, made.output_arg),
    ):
        for one in given:
            _describe(one, listed.add(name=one.name))
    for key, attribute in signature.attributes.items():
        described = made.attr.add(name=key, type=attribute.kind)
        if attribute.is_optional:
            described.default_value.CopyFrom(proto_of_value(attribute.default))
    return made


def _describe(argument: Argument, made: Any) -> None:
    """Say of which dtype an argument is, and how many of them there are."""
    made.is_ref = argument.is_reference
    if argument.number == "*":
        made.type_list_attr = argument.kind
        return
    made.number_attr = argument.number
    if argument.kind in NUMBERS:
        made.type = NUMBERS[argument.kind]
    else:
        made.type_attr = argument.kind
