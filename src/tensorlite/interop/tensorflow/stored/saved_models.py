"""SavedModels of TensorFlow, of version 1 and 2, restored: signatures, variables, functions.

How one is written is saving.py's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tensorlite.core.errors import NotFoundError
from tensorlite.function.compile import ConcreteFunction
from tensorlite.interop.tensorflow.stored.graph_models import graph_model
from tensorlite.interop.tensorflow.stored.metagraphs import MetaGraph
from tensorlite.interop.tensorflow.stored.models import SavedModel, meta_graphs_of
from tensorlite.interop.tensorflow.stored.object_models import object_model

SERVE = "serve"
"""The tag of graphs that are to be run, not trained."""


def load_saved_model(
    path: str | Path,
    tags: Sequence[str] | str | None = (SERVE,),
    kind: type[ConcreteFunction] = ConcreteFunction,
) -> SavedModel:
    """Return a SavedModel: its signatures as functions, and of version 2 its objects.

    `tags` choose among several graphs; None takes the only one. Traces are of the class `kind`.
    Raises NotFoundError when there is
    no such model or graph, GraphDefError and DataLossError when it is damaged, and
    MissingOperatorError when operators are not there.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> class Line(tl.Module):
    ...     def __init__(self):
    ...         self.slope = tl.Variable(2.0)
    ...     @tl.function(input_signature=[tl.TensorSpec((), tl.float32)])
    ...     def __call__(self, x):
    ...         return self.slope * x
    >>> tl.interop.tensorflow.save_saved_model(Line(), folder)
    >>> line = tl.interop.tensorflow.load_saved_model(folder)
    >>> print(line(3.0), line.slope.numpy(), line.signatures["serving_default"](x=3.0))
    6.0 2.0 {'output_0': Tensor(shape=(), dtype=float32, device=CPU:0)
    6.0}
    """
    folder = Path(path)
    meta = _chosen(folder, tags)
    if meta.objects is not None and len(meta.objects.nodes):
        return object_model(meta, folder, kind)
    return graph_model(meta, folder)


def _chosen(folder: Path, tags: Sequence[str] | str | None) -> MetaGraph:
    found = meta_graphs_of(folder)
    wanted = {tags} if isinstance(tags, str) else None if tags is None else set(tags)
    fitting = [x for x in found if wanted is None or set(x.tags) == wanted]
    if len(fitting) != 1:
        raise NotFoundError(
            f"{folder} has {len(fitting)} graphs for the tags {tags}; there are graphs of the tags "
            f"{[x.tags for x in found]}"
        )
    return fitting[0]
