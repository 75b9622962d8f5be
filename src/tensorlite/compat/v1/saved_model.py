"""tf.saved_model of TensorFlow 1: gathers its names from where they live."""

from __future__ import annotations

from types import SimpleNamespace

from tensorlite.compat.later import of_version_2
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.saved_names import (
    FIXED,
    constants as constants,
    signature_constants as signature_constants,
    tag_constants as tag_constants,
)
from tensorlite.compat.v1.graphs.saved_models import (
    Builder as Builder,
    SavedModelBuilder,
    contains_saved_model as contains_saved_model,
    load as load,
    maybe_saved_model_directory,
    simple_save as simple_save,
)
from tensorlite.compat.v1.graphs.signatures import (
    build_signature_def as build_signature_def,
    build_tensor_info as build_tensor_info,
    classification_signature_def as classification_signature_def,
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
    is_valid_signature as is_valid_signature,
    predict_signature_def as predict_signature_def,
    regression_signature_def as regression_signature_def,
)

builder = SimpleNamespace(SavedModelBuilder=SavedModelBuilder)
loader = SimpleNamespace(
    load=load, maybe_saved_model_directory=maybe_saved_model_directory
)
utils = SimpleNamespace(
    build_tensor_info=build_tensor_info,
    get_tensor_from_tensor_info=get_tensor_from_tensor_info,
)
signature_def_utils = SimpleNamespace(
    build_signature_def=build_signature_def,
    classification_signature_def=classification_signature_def,
    is_valid_signature=is_valid_signature,
    predict_signature_def=predict_signature_def,
    regression_signature_def=regression_signature_def,
)


_OF_VERSION_2 = {"save": "save", "load_v2": "load"}


__dir__ = listing(__name__, globals(), _OF_VERSION_2, FIXED)


def __getattr__(name: str) -> object:
    """Return what is fixed by the format of files, and what version 2 does; or say what is near."""
    if name in _OF_VERSION_2:
        return of_version_2("saved_model", _OF_VERSION_2[name])
    if name in FIXED:
        return FIXED[name]
    raise attribute_error(__name__, name, [*globals(), *FIXED])
