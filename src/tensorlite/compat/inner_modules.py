"""tensorflow.python, and tf.contrib's own: TensorFlow's inside, which programs import from as well.

Each of them has the public names of some namespaces (inner_modules.txt: packages, modules, and the
namespaces that have their names, "." for tf itself; contrib_modules.txt: namespaces of tf.contrib,
packages and modules in their python package). Some names are others in public, or of the other
version only (inner_names.txt: `array_ops.where` is version 1's in both, `dropout_v2` is version 2's
`dropout`), and modules have those that TensorFlow's import (`rnn.rnn_cell_impl`). What is public
nowhere is not here, but for a few names that many programs use.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from operator import attrgetter
from types import ModuleType
from typing import Any

from tensorlite.compat.missing import known_names

_WHOLE: Mapping[str, str] = {
    "data": "data",
    "distribute": "distribute",
    "estimator": "estimator",
    "feature_column": "feature_column",
    "feature_column.feature_column": "feature_column",
    "keras": "keras",
    "platform.app": "app",
    "platform.flags": "flags",
    "platform.gfile": "gfile",
    "platform.googletest": "test",
    "platform.resource_loader": "resource_loader",
    "platform.test": "test",
    "platform.tf_logging": "logging",
    "util.compat": "compat",
    "util.nest": "nest",
}
"""Modules that are namespaces by another path."""
_VERSIONS = ("tensorlite.compat.v1", "tensorlite.compat.v2")
_CONVERSIONS = "tensorlite.compat.shared.ragged_and_sparse.conversions"
_KERAS_TOOLS = "tensorlite.compat.v1.keras.inner_tools"
_OWN: Mapping[str, str] = {
    "autograph.pyct.transformer": "tensorlite.compat.shared.converter_parts",
    "client.device_lib": "tensorlite.compat.shared.device_lists",
    "client.session": "tensorlite.compat.v1.graphs.session_conversions",
    "client.timeline": "tensorlite.compat.v1.timelines",
    "data.util.nest": "tensorlite.compat.shared.datasets.data_nest",
    "debug": "tensorlite.compat.v1.debugger",
    "debug.wrappers.hooks": "tensorlite.compat.v1.debugger",
    "debug.wrappers.local_cli_wrapper": "tensorlite.compat.v1.debugger",
    "distribute.summary_op_util": "tensorlite.compat.v1.summary_parts",
    "eager.context": "tensorlite.compat.v1.graphs.eager_context",
    "eager.monitoring": "tensorlite.compat.shared.monitoring",
    "framework.device_spec": "tensorlite.compat.v1.device_specs",
    "framework.composite_tensor": "tensorlite.compat.shared.specs.composite_values",
    "framework.function": "tensorlite.compat.v1.graphs.defined_functions",
    "framework.meta_graph": "tensorlite.compat.v1.graphs.metagraphs",
    "framework.ops": "tensorlite.compat.v1.graphs.inner_ops",
    "framework.smart_cond": "tensorlite.compat.v1.contrib.static",
    "framework.sparse_tensor": _CONVERSIONS,
    "framework.tensor_shape": "tensorlite.compat.v1.graphs.shape_makers",
    "framework.tensor_util": "tensorlite.compat.v1.graphs.inner_ops",
    "framework.tensor": "tensorlite.compat.shared.specs.bounded_specs",
    "framework.tensor_spec": "tensorlite.compat.shared.specs.bounded_specs",
    "framework.type_spec": "tensorlite.compat.shared.specs.named_specs",
    "framework.type_spec_registry": "tensorlite.compat.shared.specs.named_specs",
    "framework.test_util": "tensorlite.compat.v1.test_modes",
    "keras.applications.imagenet_utils": _KERAS_TOOLS,
    "keras.utils.conv_utils": "tensorlite.compat.v1.keras.conv_utils",
    "keras.utils.generic_utils": _KERAS_TOOLS,
    "keras.utils.layer_utils": _KERAS_TOOLS,
    "keras.utils.tf_utils": _KERAS_TOOLS,
    "layers.utils": "tensorlite.compat.v1.contrib.layer_utils",
    "lib.io.file_io": "tensorlite.compat.shared.file_io",
    "ops.array_ops": "tensorlite.compat.shared.array_parts",
    "ops.confusion_matrix": "tensorlite.compat.v1.metric_kinds.parts",
    "ops.control_flow_case": "tensorlite.compat.shared.choices",
    "ops.control_flow_ops": "tensorlite.compat.v1.primitives",
    "ops.control_flow_util": "tensorlite.compat.shared.surroundings",
    "ops.parallel_for.control_flow_ops": "tensorlite.compat.shared.along",
    "ops.ragged.ragged_conversion_ops": _CONVERSIONS,
    "ops.ragged.ragged_tensor": _CONVERSIONS,
    "ops.random_ops": "tensorlite.compat.shared.randoms.seeds",
    "ops.resources": "tensorlite.compat.v1.graphs.registered",
    "ops.resource_variable_ops": "tensorlite.compat.v1.graphs.resource_variables",
    "ops.rnn": "tensorlite.compat.v1.recurrent.rnn_parts",
    "ops.rnn_cell": "tensorlite.compat.v1.recurrent.rnn_parts",
    "ops.rnn_cell_impl": "tensorlite.compat.v1.recurrent.rnn_parts",
    "ops.core_rnn_cell": "tensorlite.compat.v1.recurrent.rnn_parts",
    "ops.core_rnn_cell_impl": "tensorlite.compat.v1.recurrent.rnn_parts",
    "ops.inplace_ops": "tensorlite.compat.shared.in_place",
    "ops.data_flow_ops": "tensorlite.compat.v1.contrib.staging",
    "ops.gradient_checker": "tensorlite.compat.v1.test",
    "ops.gradient_checker_v2": "tensorlite.compat.v2.test",
    "ops.linalg.linear_operator": "tensorlite.compat.shared.linear.linear_operator",
    "ops.linalg.linear_operator_addition": "tensorlite.compat.shared.linear.operator_sums",
    "ops.metrics_impl": "tensorlite.compat.v1.metric_kinds.inner_names",
    "ops.summary_op_util": "tensorlite.compat.v1.summary_parts",
    "ops.variable_scope": "tensorlite.compat.v1.graphs.scopes",
    "ops.variable_v1": "tensorlite.compat.v1.graphs.variables",
    "ops.variables": "tensorlite.compat.v1.graphs.partitioned",
    "ops.weights_broadcast_ops": "tensorlite.compat.v1.metric_kinds.weights",
    "pywrap_tensorflow": "tensorlite.compat.v1.train",
    "saved_model.nested_structure_coder": "tensorlite.compat.shared.specs.structure_messages",
    "tf2": "tensorlite.compat.v1.graphs.behaviour",
    "trackable.base": "tensorlite.compat.v2.tracked",
    "trackable.data_structures": "tensorlite.compat.v2.tracked",
    "training.tracking.base": "tensorlite.compat.v2.tracked",
    "training.tracking.data_structures": "tensorlite.compat.v2.tracked",
    "tpu.tpu_function": "tensorlite.compat.shared.surroundings",
    "training.checkpoint_management": "tensorlite.compat.v1.training.saver",
    "training.checkpoint_utils": "tensorlite.compat.v1.contrib.evaluation",
    "training.evaluation": "tensorlite.compat.v1.contrib.evaluation",
    "training.monitored_session": "tensorlite.compat.v1.training.monitored",
    "training.moving_averages": "tensorlite.compat.v1.training.averages",
    "training.saveable_object": "tensorlite.compat.v1.training.saveables",
    "training.saver": "tensorlite.compat.v1.training.saver",
    "training.slot_creator": "tensorlite.compat.v1.training.slot_creation",
    "training.training_util": "tensorlite.compat.v1.training.averages",
    "training.tracking.tracking": "tensorlite.compat.v2.tracked",
    "trackable.autotrackable": "tensorlite.compat.v2.tracked",
    "util.all_util": "tensorlite.compat.shared.decorators",
    "util.deprecation": "tensorlite.compat.shared.deprecation",
    "util.function_utils": "tensorlite.compat.shared.callables",
    "util.object_identity": "tensorlite.compat.shared.object_identity",
    "util.serialization": "tensorlite.compat.shared.json_values",
    "util.tf_contextlib": "contextlib",
    "util.tf_decorator": "tensorlite.compat.shared.decorators",
    "util.tf_export": "tensorlite.compat.shared.decorators",
    "util.nest": "tensorlite.compat.v1.contrib.nest",
    "util.variable_utils": "tensorlite.compat.shared.specs.composite_values",
    "util.tf_inspect": "tensorlite.compat.shared.inspection",
}
"""Which of our modules have names that are public nowhere."""
_CONTRIB = "tensorlite.compat.v1.contrib."
_CONTRIB_OWN: Mapping[str, str] = {
    "autograph.pyct.transformer": "tensorlite.compat.shared.converter_parts",
    "layers.layers.feature_column": "columns.inside",
    "layers.layers.feature_column_ops": "columns.inside",
    "layers.ops.sparse_feature_cross_op": "columns.inside",
    "learn.learn.datasets.base": "learning.tables",
    "learn.learn.datasets.synthetic": "learning.tables",
    "learn.learn.graph_actions": "learning.graph_actions",
    "learn.learn.monitors": "learning.monitors",
    "losses.metric_learning.metric_loss_ops": "metric_learning",
    "opt.training.sign_decay": "sign_decays",
    "training.training.evaluation": "training",
    **{
        f"slim.slim.data.{name}": f"slim_data.{name}"
        for name in (
            "data_decoder",
            "data_provider",
            "dataset",
            "dataset_data_provider",
            "parallel_reader",
            "prefetch_queue",
            "tfexample_decoder",
        )
    },
    "slim.slim.queues": "slim_queues",
    "slim.slim.summaries": "slim_summaries",
}
"""The same for tf.contrib's modules, by namespace and path: modules in our package of it."""
_BESIDE_CONTRIB = ["contrib.layers", "nn.rnn_cell", "train", "."]
"""Namespaces whose names modules in tf.contrib have, after those of their own."""
_GATHERED: Mapping[str, str] = {
    "ops.nn": "nn_ops nn_impl ctc_ops embedding_ops",
    "ops.image_ops": "image_ops_impl",
    "ops.gradients": "gradients_impl",
    "ops.standard_ops": "array_ops check_ops control_flow_ops embedding_ops functional_ops "
    "gradients_impl init_ops linalg_ops logging_ops math_ops numerics parsing_ops random_ops "
    "script_ops sparse_ops string_ops variable_scope variables",
}
"""Modules of ops that have the names of others of them."""
_GENERATED = "tensorlite.compat.shared.generated_ops"
"""What has the names of all operators: the place "generated" in the table of modules."""
_FUNCTIONS = {"arg_scope"}
"""Modules in whose packages a function has their name, as TensorFlow's have."""


def installed(
    package: str, version: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__`; its modules are made, and known to imports.

    `version` is the module that has the public names, "tensorlite.compat.v1"; what it has not is
    looked for in the other one, as TensorFlow's inside is the same for both.

    >>> from tensorlite.compat.v1.python.framework import ops
    >>> ops.reset_default_graph.__name__
    'reset_default_graph'
    """
    roots = [version, *(x for x in _VERSIONS if x != version)]
    made: dict[str, ModuleType] = {}
    beside: dict[str, ModuleType] = {}
    called = _other_names()
    for path, places in _places(version.rpartition(".")[2]).items():
        for outer in _packages(path):
            if outer not in made:
                made[outer] = _module(package, outer, roots, ["."])
        own = _OWN.get(path)
        made[path] = _module(
            package, path, roots, places, called.get(path), beside, own
        )
    beside.update({path.rpartition(".")[2]: made[path] for path in reversed(made)})
    for path, module in made.items():
        sys.modules[module.__name__] = module
        parent, _, name = path.rpartition(".")
        if parent:
            setattr(made[parent], name, module)

    def find(name: str) -> Any:
        known = made.get(name)
        return (
            _found(package, name, roots, ["."], None, {}) if known is None else known
        )

    return find, lambda: sorted(path for path in made if "." not in path)


def register_contrib(package: str) -> None:
    """Make the modules in tf.contrib's namespaces known to imports.

    >>> from tensorlite.compat.v1.contrib.framework.python.ops import arg_scope, variables
    >>> variables.get_or_create_global_step.__name__
    'get_or_create_global_step'
    >>> arg_scope.__name__  # a module of this name has given way to its function there, too
    'arg_scope'
    """
    for namespace, folder, modules in _rows("contrib_modules.txt"):
        shared = [f"contrib.{namespace}", *_BESIDE_CONTRIB]
        inside = f"{package}.{namespace}.python"
        for path in [*_packages(f"{folder}.x".removeprefix(".")), folder, ""]:
            name = f"{inside}.{path}".removesuffix(".")
            if name not in sys.modules:
                places = [f"contrib.{namespace}.{path}", *shared]
                made = _module(inside, path, [_VERSIONS[0]], places)
                made.__name__ = name
                sys.modules[name] = made
        for path in _packages(f"{folder}.x".removeprefix(".")):
            outer, _, last = f"{inside}.{path}".rpartition(".")
            setattr(sys.modules[outer], last, sys.modules[f"{inside}.{path}"])
        for module in modules.split():
            path = f"{folder}.{module}".removeprefix(".")
            own = _CONTRIB_OWN.get(f"{namespace}.{path}")
            if own is None and namespace == "learn":
                own = "learning.inside"
            own = _OWN.get(path) if own is None else _CONTRIB + own
            places = [f"contrib.{path}", *shared]
            made = _module(inside, path, [_VERSIONS[0]], places, own=own)
            sys.modules[f"{inside}.{path}"] = made
            if module not in _FUNCTIONS:
                holder = f"{inside}.{folder}".removesuffix(".")
                setattr(sys.modules[holder], module, made)


def _rows(name: str) -> list[list[str]]:
    """Return the lines of a table, each cut into its columns."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return [[part.strip() for part in line.split("|")] for line in text.splitlines()]


def _places(version: str) -> dict[str, list[str]]:
    """Return the namespaces whose names each module has in a version, "v1"."""
    listed = {
        f"{package}.{name}": places.split()
        for package, names, places in _rows("inner_modules.txt")
        for name in names.split()
    }
    titles = [title.removeprefix(f"{version}.") for title in known_names()]
    whole = {
        path + title.removeprefix(place): [title]
        for path, place in _WHOLE.items()
        for title in [*titles, place]
        if f"{title}.".startswith(f"{place}.")
    }
    listed["context"] = listed["eager.context"]
    return {**{path: ["."] for path in (*_OWN, *_other_names())}, **listed, **whole}


@cache
def _other_names() -> Mapping[str, Mapping[str, str]]:
    """Return by module the names that are others in public, each with those: v1.where."""
    told = {
        path: dict(pair.split("=") for pair in pairs.split())
        for path, pairs in _rows("inner_names.txt")
    }
    for path, others in _GATHERED.items():
        each = [told.get(f"ops.{other}", {}) for other in others.split()]
        told[path] = {name: public for one in each for name, public in one.items()}
    return told


def _packages(path: str) -> list[str]:
    """Return the packages that a module is in, the outermost first."""
    names = path.split(".")
    return [".".join(names[:i]) for i in range(1, len(names))]


def _module(
    package: str,
    path: str,
    roots: Sequence[str],
    places: Sequence[str],
    called: Mapping[str, str] | None = None,
    beside: Mapping[str, ModuleType] | None = None,
    own: str | None = None,
) -> ModuleType:
    """Return a module of some names of namespaces, some `called` otherwise, modules `beside` it."""
    module = ModuleType(f"{package}.{path}", f"tensorflow.python.{path}")
    module.__path__ = []

    def find(name: str) -> Any:
        if name == "__all__":
            return _listed(module.__name__, roots, places, own)
        public = None if called is None else called.get(name)
        if public is not None and not (own and hasattr(import_module(own), name)):
            found = attrgetter(public)(import_module(__package__))
        else:
            found = _found(module.__name__, name, roots, places, own, beside or {})
        setattr(module, name, found)
        return found

    module.__getattr__ = find  # type: ignore[method-assign]
    return module


def _found(
    module: str,
    name: str,
    roots: Sequence[str],
    places: Sequence[str],
    own: str | None,
    beside: Mapping[str, ModuleType],
) -> Any:
    """Return what a module's name stands for; AttributeError if that is public nowhere."""
    for wanted, chosen in () if name.startswith("__") else _spellings(name, roots):
        for holder in _holders(chosen, places, own if wanted == name else None):
            if hasattr(holder, wanted):
                return getattr(holder, wanted)
    if name in beside:
        return beside[name]
    raise AttributeError(
        f"module {module!r} has no attribute {name!r}: it is of TensorFlow's inside, and none of "
        f"the public namespaces that stand for it has that name: {', '.join(places)}"
    )


def _listed(
    module: str, roots: Sequence[str], places: Sequence[str], own: str | None
) -> list[str]:
    """Return what `import *` takes from a module: the names of the namespaces it stands for.

    Of tf itself it takes none, as it is not known which of its names a module has; and none that
    would hide one of Python's.
    """
    chosen = [x for x in places if x not in {".", "generated"}]
    shown = {
        name
        for root in roots
        for place in chosen
        for name, held in _members(_namespace(root, place))
        if not isinstance(held, ModuleType)
    }
    if own is not None:
        members = _members(import_module(own))
        shown |= {name for name, x in members if getattr(x, "__module__", "") == own}
    if not shown:
        raise AttributeError(f"module {module!r} has no attribute '__all__'")
    return sorted(shown - set(dir(builtins)))


def _members(holder: Any) -> list[tuple[str, Any]]:
    names = [x for x in dir(holder) if not x.startswith("_") and hasattr(holder, x)]
    return [(name, getattr(holder, name)) for name in names]


def _spellings(
    name: str, roots: Sequence[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what a name may be called in which versions: squeeze_v2 is version 2's squeeze."""
    yield name, roots
    told = re.fullmatch(r"(\w+?)_?[vV]([12])", name)
    if told is not None:
        yield told[1], [f"tensorlite.compat.v{told[2]}"]


def _holders(
    roots: Sequence[str], places: Sequence[str], own: str | None
) -> Iterator[Any]:
    """Yield our module, if there is one, and the namespaces, those of the own version first.

    What is generated of operators comes behind all of them, unless the table has it first.
    """
    if own is not None:
        yield import_module(own)
    is_first = places[0] == "generated"
    if is_first:
        yield import_module(_GENERATED)
    for root in roots:
        for place in places:
            if place != "generated":
                yield _namespace(root, place)
    if "generated" in places and not is_first:
        yield import_module(_GENERATED)


def _namespace(root: str, place: str) -> Any:
    holder: Any = import_module(root)
    for name in place.split(".") if place != "." else []:
        holder = getattr(holder, name, None)
    return holder
