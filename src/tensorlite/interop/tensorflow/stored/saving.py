"""SavedModels are written: objects, their variables and traced functions, and signatures.

What is written TensorFlow loads, of version 2 as objects, of version 1 as a graph with a saver. How
SavedModels are read is saved_models.py's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dtypes import float32, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import Compiled, ConcreteFunction
from tensorlite.graph.graph import Node, Placeholder, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.stored.bundle_writing import replaced
from tensorlite.interop.tensorflow.stored.exporting import (
    FUNCTIONS,
    AnyFunction,
    Told,
    Wrapper,
    concretes_of,
    members_of,
    named,
    parameter_names,
    put_parameters,
    put_spec,
    signatures_of,
    tensor_names,
    wrapped,
)
from tensorlite.interop.tensorflow.stored.kept_files import KeptFiles
from tensorlite.interop.tensorflow.stored.kept_tables import (
    fill,
    filling,
    kept_table,
    letting_go,
    making,
)
from tensorlite.interop.tensorflow.stored.metagraphs import (
    START,
    MetaGraph,
    SaverInfo,
    SignatureInfo,
    TensorInfo,
    to_message,
)
from tensorlite.interop.tensorflow.stored.models import (
    Asset,
    saved_model_class,
)
from tensorlite.interop.tensorflow.stored.objects import (
    VALUE,
    Tracked,
    keys_of,
    save_objects,
)
from tensorlite.interop.tensorflow.stored.operators import (
    RestoreTensors,
    SaveTensors,
)
from tensorlite.interop.tensorflow.stored.own_gradients import OwnGradients
from tensorlite.interop.tensorflow.stored.saved_models import SERVE
from tensorlite.interop.tensorflow.stored.structures import proto_of
from tensorlite.interop.tensorflow.stored.traces import RestoredFunction
from tensorlite.interop.tensorflow.tensors import OF_DTYPE, shape_proto
from tensorlite.interop.tensorflow.writing import Library, to_graphdef
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.dataflow import NoOp
from tensorlite.ops.control.regions import PartitionedCall
from tensorlite.ops.state.resource import (
    AssignVariableOp,
    ReadVariableOp,
    VarHandleOp,
)
from tensorlite.ops.state.tables import TableState
from tensorlite.ops.state.variable import Variable
from tensorlite.train.module import Module

_VERSION = {"producer": 1, "min_consumer": 1}
"""Of the objects whose classes are not known to TensorFlow."""


class Member(NamedTuple):
    """An object that is saved: what it has under which names."""

    value: Any
    children: dict[str, int]


def save_saved_model(
    obj: Any,
    path: str | Path,
    signatures: Any = None,
    tags: Sequence[str] = (SERVE,),
    own_gradients: bool = True,
) -> None:
    """Write an object as a SavedModel, which TensorFlow loads and runs.

    `obj` is a module or a `tl.function`; what its attributes hold is saved: variables, modules,
    lists and dicts of them, and functions, each with the traces that it has. `signatures` are the
    functions by which servers and TensorFlow 1 run it: one, or several by name; functions with an
    `input_signature`, or traces. If none is given, `__call__` or the only function with an
    `input_signature` is one. Gradients that functions have by `tl.custom_gradient` are traced and
    saved, unless `own_gradients` is False; LostGradientWarning tells of those that cannot be.
    InvalidArgumentError when a function uses a variable that is in no attribute,
    MissingOperatorError when TensorFlow lacks an operator.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> double = tl.function(lambda x: 2.0 * x, input_signature=[tl.TensorSpec((None,))])
    >>> tl.interop.tensorflow.save_saved_model(double, folder)
    >>> model = tl.interop.tensorflow.load_saved_model(folder)
    >>> print(model.signatures["serving_default"](x=[1.0, 2.0])["output_0"])
    [2. 4.]
    """
    if not hasattr(obj, "__dict__"):
        raise DTypeError(
            f"save_saved_model: obj={obj!r} has no attributes; give a module or a tl.function"
        )
    root = _Root(obj) if isinstance(obj, (*FUNCTIONS, ConcreteFunction)) else obj
    saving = _Saving(root, signatures_of(root, signatures), own_gradients)
    folder = Path(path)
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    proto = saved_model_class()(saved_model_schema_version=1)
    proto.meta_graphs.add().CopyFrom(to_message(saving.meta_graph(tags)))
    save_objects(folder / "variables" / "variables", saving.tracked[0])
    saving.files.copy_to(folder / "assets")
    with replaced(folder / "saved_model.pb") as file:
        file.write(proto.SerializeToString())


class _Root(Module):
    """Has a function that is saved by itself."""

    def __init__(self, function: AnyFunction | ConcreteFunction) -> None:
        setattr(self, "__call__", function)  # noqa: B010


class _Saving:
    """An object and its functions while they are written."""

    def __init__(
        self,
        root: Any,
        signatures: Mapping[str, ConcreteFunction],
        own_gradients: bool,
    ) -> None:
        self._library = Library()
        self._graph = ManualGraph()
        self._objects = message("SavedObjectGraph")()
        own = OwnGradients(self._library, self._objects) if own_gradients else None
        self._own = own
        self._members: list[Member] = []
        self._names: set[str] = set()
        self._numbers: dict[int, int] = {}
        self._constants: dict[int, int] = {}
        self._filling: list[Node] = []
        """What fills the tables of the graph, and tells paths of files, for TensorFlow 1."""
        self.files = KeptFiles()
        self._collect(root)
        self._of_state = {
            id(copy.handle.array): i
            for i, x in enumerate(self._members)
            if isinstance(x.value, Variable)
            for copy in getattr(x.value, "copies", (x.value,))
        }
        self._paths = {
            id(x.value.asset_path): i
            for i, x in enumerate(self._members)
            if isinstance(x.value, Asset)
        }
        self._handles = self._variables()
        self._reads: dict[int, SymbolicTensor] = {}
        self._nodes = [self._objects.nodes.add() for _ in self._members]
        for node, member in zip(self._nodes, self._members, strict=True):
            self._object(node, member)
        self._infos = self._signature_map(signatures)
        self.tracked = self._tracked()

    def _collect(self, root: Any) -> None:
        """Number all objects, nearest first."""
        waiting = [root]
        self._numbers[id(root)] = 0
        for value in waiting:
            children = {}
            for name, child in members_of(value).items():
                if id(child) not in self._numbers or isinstance(child, FUNCTIONS):
                    # Methods are made anew each time they are asked for.
                    self._numbers[id(child)] = len(waiting)
                    waiting.append(child)
                children[name] = self._numbers[id(child)]
            self._members.append(Member(value, children))

    def _variables(self) -> dict[int, SymbolicTensor]:
        """Return a node for the handle of each variable, whose names all differ."""
        found = {}
        for number, member in enumerate(self._members):
            if isinstance(member.value, Variable):
                variable = member.value
                name = self._free(_plain(variable.name))
                op = VarHandleOp(
                    variable.spec,
                    variable.trainable,
                    debug_name=name,
                    shared_name=name,
                )
                found[number] = self._add(op, name=name)[0]
        return found

    def _free(self, name: str) -> str:
        """Return a name that no node has."""
        count, found = 0, name
        while found in self._names:
            count += 1
            found = f"{name}_{count}"
        self._names.add(found)
        return found

    def _add(
        self, op: Op, *inputs: SymbolicTensor, name: str, control: Sequence[Any] = ()
    ) -> tuple[SymbolicTensor, ...]:
        return self._graph.append(op, inputs, name, tuple(control)).outputs

    def _object(self, node: Any, member: Member) -> None:
        for name, number in member.children.items():
            node.children.add(node_id=number, local_name=name)
        value = member.value
        if isinstance(value, Variable):
            about = node.variable
            about.dtype = OF_DTYPE[value.dtype]
            about.name = value.name.partition(":")[0]
            about.trainable = value.trainable
            about.synchronization, about.aggregation = value.distribution
            about.shape.CopyFrom(shape_proto(value.spec.shape))
        elif isinstance(value, Asset):
            node.asset.asset_file_def_index = self.files.number(value)
        elif isinstance(value, RestoredFunction) and value.keywords:
            (trace,) = value.concrete_functions
            bare = node.bare_concrete_function
            bare.concrete_function_name = self._concrete(trace, value.keywords)
            bare.argument_keywords.extend(value.keywords)
            bare.allowed_positional_arguments = len(value.keywords)
            put_spec(bare.function_spec, value)
        elif isinstance(value, FUNCTIONS):
            known = parameter_names(value)
            names = [self._concrete(x, known) for x in concretes_of(value)]
            node.function.concrete_functions.extend(names)
            put_spec(node.function.function_spec, value)
        elif isinstance(value, ConcreteFunction):
            bare = node.bare_concrete_function
            bare.concrete_function_name = self._concrete(value, ())
            bare.argument_keywords.extend(tensor_names(value))
            bare.allowed_positional_arguments = len(bare.argument_keywords)
            put_spec(bare.function_spec, value)
        else:
            kind = "_generic_user_object"
            if isinstance(value, (Mapping, list, tuple)):
                word = "dict" if isinstance(value, Mapping) else "list"
                word = "tuple" if isinstance(value, tuple) else word
                kind = f"trackable_{word}_wrapper"
            node.user_object.identifier = kind
            node.user_object.version.CopyFrom(_versions(node))

    def _concrete(self, concrete: ConcreteFunction, names: Sequence[str]) -> str:
        """Return the name of a trace in the library, written if it is new."""
        graph = concrete.callee.graph
        self._library.check(graph)
        if self._own is not None:
            self._own.prepare(graph, concrete.captured)
        name = self._library.function(graph, f"__inference_{graph.name}").name
        if name not in self._objects.concrete_functions:
            about = self._objects.concrete_functions[name]
            about.bound_inputs.extend(
                [self._bound(x, name) for x in concrete.captured]
            )
            given = named(concrete.structured_inputs, names)
            about.canonicalized_input_signature.CopyFrom(proto_of(given))
            about.output_signature.CopyFrom(proto_of(concrete.structured_outputs))
        if self._own is not None:
            self._own.write(self._bound)
        return name

    def _bound(self, x: Tensor, name: str) -> int:
        """Return the number of the object that a function was traced with."""
        if id(x) in self._paths:
            return self._path(self._paths[id(x)])
        if x.dtype.kind != "R":
            return self._constant(x)
        if isinstance(x.array, TableState):
            return self._table(x.array)
        number = self._of_state.get(id(x.array))
        if number is None:
            raise InvalidArgumentError(
                f"{name} uses {x.array!r}, which is in no attribute of what is saved; let an "
                "attribute hold it"
            )
        return number

    def _path(self, number: int) -> int:
        """Return the number of a file, whose path the graph has as a tensor."""
        if number not in self._handles:
            place = self.files.number(self._members[number].value)
            self._handles[number], start = self.files.path(self._graph, place)
            self._filling.append(start)
        return number

    def _constant(self, x: Tensor) -> int:
        number = self._constants.get(id(x))
        if number is None:
            array = np.asarray(x.numpy())
            name = self._free("Const")
            made = self._add(Const(array), name=name)[0]
            number = self._constants[id(x)] = len(self._objects.nodes)
            self._objects.nodes.add().constant.operation = made.node.name
            self._handles[number] = made
        return number

    def _table(self, state: TableState) -> int:
        """Return the number of a table, with the functions that make it and fill it."""
        number = self._constants.get(id(state))
        if number is not None:
            return number
        number = self._constants[id(state)] = len(self._objects.nodes)
        name = self._free("table")
        table = kept_table(state, f"{name}_{id(state)}")
        node = self._objects.nodes.add()
        node.resource.SetInParent()
        # Functions may use what an object has, and nothing else, where they are saved again.
        self._nodes[0].children.add(node_id=number, local_name=f"_{name}")
        handle = self._handles[number] = self._add(table.op, name=name)[0]
        self._filling.append(fill(self._graph, table, handle, f"{name}/fill"))
        for role, graph, bound in (
            ("_create_resource", making(table, f"{name}_creator"), []),
            ("_initialize", filling(table, f"{name}_initializer"), [number]),
            ("_destroy_resource", letting_go(f"{name}_destroyer"), []),
        ):
            node.children.add(node_id=len(self._objects.nodes), local_name=role)
            called = self._library.function(graph, f"__inference_{graph.name}").name
            about = self._objects.concrete_functions[called]
            about.bound_inputs.extend(bound)
            about.canonicalized_input_signature.CopyFrom(proto_of(((), {})))
            about.output_signature.CopyFrom(proto_of(graph.outputs[0].spec))
            function = self._objects.nodes.add().function
            function.concrete_functions.append(called)
            put_parameters(function.function_spec, Told())
        return number

    def _signature_map(
        self, signatures: Mapping[str, ConcreteFunction]
    ) -> dict[str, SignatureInfo]:
        """Add the signatures, to the objects and to the graph."""
        number = len(self._objects.nodes)
        listed = self._objects.nodes.add()
        self._nodes[0].children.add(node_id=number, local_name="signatures")
        listed.user_object.identifier = "signature_map"
        listed.user_object.version.CopyFrom(_versions(listed))
        infos = {}
        for name, concrete in signatures.items():
            if self._own is not None:
                self._own.prepare(concrete.callee.graph, concrete.captured)
            wrapper = wrapped(concrete, name)
            captured = [self._bound(x, name) for x in concrete.captured]
            called = self._library.function(
                wrapper.graph, f"__inference_signature_{name}"
            )
            if self._own is not None:
                self._own.write(self._bound)
            about = self._objects.concrete_functions[called.name]
            about.bound_inputs.extend(captured)
            about.canonicalized_input_signature.CopyFrom(
                proto_of(((), wrapper.inputs))
            )
            about.output_signature.CopyFrom(proto_of(wrapper.outputs))
            listed.children.add(node_id=len(self._objects.nodes), local_name=name)
            bare = self._objects.nodes.add().bare_concrete_function
            bare.concrete_function_name = called.name
            bare.argument_keywords.extend(sorted(wrapper.inputs))
            bare.allowed_positional_arguments = len(wrapper.inputs)
            infos[name] = self._call(name, wrapper, captured)
        return infos

    def _call(
        self, name: str, wrapper: Wrapper, captured: Sequence[int]
    ) -> SignatureInfo:
        """Add a call of a signature to the graph, for TensorFlow 1."""
        given = {
            x: self._add(Placeholder(spec), name=f"{_plain(name)}_{_plain(x)}")[0]
            for x, spec in sorted(wrapper.inputs.items())
        }
        handles = [self._handles[i] for i in captured]
        op = PartitionedCall(Compiled(wrapper.graph))
        node = self._free("StatefulPartitionedCall")
        outputs = self._add(op, *given.values(), *handles, name=node)
        return SignatureInfo(
            {x: _info(y) for x, y in given.items()},
            {
                x: _info(y)
                for x, y in zip(sorted(wrapper.outputs), outputs, strict=True)
            },
        )

    def _tracked(self) -> list[Tracked]:
        """Return the objects with the values of the variables."""
        found = [Tracked() for _ in self._members]
        for one, member in zip(found, self._members, strict=True):
            one.children = {x: found[i] for x, i in member.children.items()}
            if isinstance(member.value, Variable):
                one.values = {VALUE: member.value}
                one.full_name = member.value.name.partition(":")[0]
        return found

    def meta_graph(self, tags: Sequence[str]) -> MetaGraph:
        """Return all of it, with a saver of the variables."""
        saver = self._saver()
        if self._filling:
            done = self._graph.append(NoOp(), (), "init_tables", tuple(self._filling))
            info = TensorInfo(done.name, float32, None)
            self._infos[START] = SignatureInfo({}, {START: info}, "")
        graph_def = to_graphdef(self._graph, self._library)
        return MetaGraph(
            graph_def,
            {},
            saver,
            self._infos,
            self.files.assets,
            list(tags),
            self._objects,
        )

    def _saver(self) -> SaverInfo | None:
        """Add what saves and restores variables, for TensorFlow 1; None if there are none."""
        if not self._of_state:
            return None
        number_of = {one: i for i, one in enumerate(self.tracked)}
        keys = [(key, number_of[one]) for key, one in keys_of(self.tracked[0])]
        path = self._add(Placeholder(TensorSpec((), string)), name="saver_filename")[
            0
        ]
        names = self._texts("saver/tensor_names", [key for key, _ in keys])
        parts = self._texts("saver/shape_and_slices", ["" for _ in keys])
        handles = [self._handles[i] for _, i in keys]
        reads = [
            self._add(ReadVariableOp(), x, name=f"{x.node.name}/Read/ReadVariableOp")[
                0
            ]
            for x in handles
        ]
        save = self._graph.append(
            SaveTensors(), (path, names, parts, *reads), "saver/SaveV2", ()
        )
        saved = self._add(Identity(), path, name="saver/Identity", control=[save])[0]
        op = RestoreTensors(tuple([x.dtype for x in reads]))
        values = self._add(op, path, names, parts, name="saver/RestoreV2")
        done = [
            self._graph.append(
                AssignVariableOp(), pair, f"saver/AssignVariableOp_{i}", ()
            )
            for i, pair in enumerate(zip(handles, values, strict=True))
        ]
        self._graph.append(NoOp(), (), "saver/restore_all", tuple(done))
        return SaverInfo(path.name, saved.name, "saver/restore_all")

    def _texts(self, name: str, texts: Sequence[str]) -> SymbolicTensor:
        array = np.empty(len(texts), object)
        array[:] = [x.encode() for x in texts]
        return self._add(Const(array), name=name)[0]


def _plain(name: str) -> str:
    """Return a name that nodes may have."""
    kept = "".join([x if x.isalnum() or x in "_./-" else "_" for x in name])
    return kept if kept[:1].isalnum() else f"x{kept}"


def _info(x: SymbolicTensor) -> TensorInfo:
    return TensorInfo(x.name, x.dtype, x.spec.shape)


def _versions(node: Any) -> Any:
    return type(node.user_object.version)(**_VERSION)
