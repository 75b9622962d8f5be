"""Scaffold, SessionManager and session creators of tf.train, and the parts that they make.

What they do is in graph_mode/session_managers.py.
"""

from __future__ import annotations

from typing import Any, Self

from tensorlite.compat.shared import logging
from tensorlite.compat.shared.arrays import concat
from tensorlite.compat.v1 import summary
from tensorlite.compat.v1.graphs import framework, graphdefs, registered, scopes
from tensorlite.compat.v1.graphs.metagraphs import create_meta_graph_def
from tensorlite.compat.v1.training.saver import Saver
from tensorlite.compat.v2.checkpoint_trees import Tree
from tensorlite.compat.v2.checkpoints import Checkpoint
from tensorlite.core.errors import MissingOperatorError
from tensorlite.graph_mode import session_managers
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.interop.tensorflow.stored.objects import (
    GRAPH,
    VALUE,
    graph_text,
    keys_of,
)
from tensorlite.interop.tensorflow.stored.savers import SaveableText
from tensorlite.interop.tensorflow.stored.states import (
    get_checkpoint_state,
    latest_checkpoint,
)


class TensorFlowParts:
    """What TensorFlow makes for a session where a program gives nothing."""

    def init_op(self) -> Any:
        """Return an operator that initializes all global variables."""
        return scopes.global_variables_initializer()

    def local_init_op(self) -> Any:
        """Return an operator that initializes local variables and tables."""
        begun = scopes.local_variables_initializer()
        return framework.group(begun, scopes.tables_initializer())

    def ready_op(self) -> Any:
        """Return the names of variables that have no value yet."""
        return scopes.report_uninitialized_variables()

    def ready_for_local_init_op(self) -> Any:
        """Return the names of global variables that have no value yet."""
        return scopes.report_uninitialized_variables(scopes.global_variables())

    def summary_op(self) -> Any:
        """Return all summaries in one, None if there are none."""
        return summary.merge_all()

    def saver(self, *, allow_empty: bool = False) -> Any:
        """Return a Saver of all variables."""
        return Saver(allow_empty=allow_empty)

    def session(self, master: Any, graph: Any, config: Any) -> framework.Session:
        """Return a session of the graph."""
        return framework.Session(master, graph=graph, config=config)

    def newest_checkpoint(self, folder: str) -> str | None:
        """Return the prefix of the newest checkpoint of a folder, or None."""
        return latest_checkpoint(folder)

    def checkpoints(self, folder: str) -> list[str]:
        """Return the prefixes of a folder's checkpoints, the oldest first."""
        state = get_checkpoint_state(folder)
        return [] if state is None else list(state.all_model_checkpoint_paths)

    def show(self, graph: Any, saver: Any, folder: str | None, writer: Any) -> None:
        """Write the graph to the folder as graph.pbtxt, and to the writer with its collections.

        Where TensorFlow lacks an operator of the graph, writers are given what can be drawn of it.
        """
        try:
            made = graph.as_graph_def(add_shapes=True)
        except MissingOperatorError as error:
            logging.warning("The graph is not written: %s", error)
            if writer is not None:
                writer.add_graph(graph)
            return
        if folder:
            graphdefs.write_graph(made, folder, "graph.pbtxt")
        if writer is not None:
            saved = getattr(saver, "saver_def", None)
            meta = create_meta_graph_def(graph_def=made, saver_def=saved, graph=graph)
            writer.add_graph(made)
            writer.add_meta_graph(meta)

    def writer(self, folder: str) -> summary.FileWriter:
        """Return a writer of summaries into the folder."""
        return summary.FileWriter(folder)

    def shared_writer(self, folder: str) -> summary.FileWriter:
        """Return the one writer of summaries into the folder."""
        made: summary.FileWriter = summary.FileWriterCache.get(folder)
        return made


class ScaffoldParts(TensorFlowParts):
    """What a Scaffold makes: it begins registered resources, too, and saves in shards."""

    def init_op(self) -> Any:
        """Return an operator that initializes all global variables and shared resources."""
        begun = scopes.global_variables_initializer()
        made = registered.initialize_resources(registered.shared_resources())
        loaded = get_default_graph().get_collection("saved_model_initializers")
        return framework.group(begun, made, loaded)

    def local_init_op(self) -> Any:
        """Return an operator that initializes local variables, tables, and local resources."""
        return framework.group(
            scopes.local_variables_initializer(),
            scopes.tables_initializer(),
            registered.initialize_resources(registered.local_resources()),
        )

    def ready_op(self) -> Any:
        """Return the names of variables and resources that are not there yet."""
        names = scopes.report_uninitialized_variables()
        return concat([names, registered.report_uninitialized_resources()], 0)

    def ready_for_local_init_op(self) -> Any:
        """Return the names of global variables and shared resources that are not there yet."""
        names = scopes.report_uninitialized_variables(scopes.global_variables())
        shared = registered.shared_resources()
        return concat([names, registered.report_uninitialized_resources(shared)], 0)

    def saver(self, *, allow_empty: bool = False) -> Any:
        """Return a Saver of all variables, each where it is."""
        return Saver(sharded=True, allow_empty=allow_empty)


PARTS = TensorFlowParts()


def object_saver(checkpoint: Checkpoint) -> Saver:
    """Return what saves the variables of a graph that a Checkpoint has, as it would."""
    root = Tree(checkpoint).root
    saved = {
        key: one.values[VALUE] for key, one in keys_of(root) if VALUE in one.values
    }
    text = SaveableText(GRAPH, graph_text(root))
    return Saver({**saved, GRAPH: text})


class Scaffold(session_managers.Scaffold):
    """What a session needs to begin: operators, a saver, and functions, each by default if None."""

    parts = ScaffoldParts()

    def finalize(self) -> Self:
        """Add what is missing to the graph, which takes no more nodes then.

        A Checkpoint that is given as saver saves its objects by their tree.
        """
        if isinstance(self.saver, Checkpoint):
            self.saver = object_saver(self.saver)
        return super().finalize()

    @staticmethod
    def default_local_init_op() -> Any:
        """Return an operator that initializes local variables, tables, and local resources."""
        return Scaffold.parts.local_init_op()


class SessionManager(session_managers.SessionManager):
    """Makes sessions whose variables are restored or initialized."""

    parts = PARTS


class ChiefSessionCreator(session_managers.ChiefSessionCreator):
    """Makes the session of the chief, which initializes or restores variables."""

    scaffold, manager = Scaffold, SessionManager


class WorkerSessionCreator(session_managers.WorkerSessionCreator):
    """Makes the session of a worker, which waits until the chief has done so."""

    scaffold, manager = Scaffold, SessionManager
