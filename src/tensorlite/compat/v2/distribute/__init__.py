"""tf.distribute: its names, over the replicas of distributed/strategies.

Strategies of one machine are in mirrored.py, those of clusters in clusters.py.
"""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import cluster_resolvers
from tensorlite.compat.v1.training.placing import Server as Server
from tensorlite.compat.v2.distribute import (
    coordinator as coordinator,
    experimental as experimental,
)
from tensorlite.compat.v2.distribute.clusters import TPUStrategy as TPUStrategy
from tensorlite.compat.v2.distribute.contexts import (
    ReplicaContext as ReplicaContext,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
)
from tensorlite.compat.v2.distribute.extended import (
    StrategyExtended as StrategyExtended,
)
from tensorlite.compat.v2.distribute.mirrored import (
    CentralStorageStrategy as CentralStorageStrategy,
    CrossDeviceOps as CrossDeviceOps,
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
    MirroredStrategy as MirroredStrategy,
    NcclAllReduce as NcclAllReduce,
    OneDeviceStrategy as OneDeviceStrategy,
    ReductionToOneDevice as ReductionToOneDevice,
)
from tensorlite.compat.v2.distribute.multi_worker import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from tensorlite.compat.v2.distribute.options import (
    CommunicationImplementation as CommunicationImplementation,
    CommunicationOptions as CommunicationOptions,
    InputContext as InputContext,
    InputOptions as InputOptions,
    InputReplicationMode as InputReplicationMode,
    ReduceOp as ReduceOp,
    RunOptions as RunOptions,
)
from tensorlite.compat.v2.distribute.parameter_server import (
    ParameterServerStrategy as ParameterServerStrategy,
)
from tensorlite.compat.v2.distribute.strategy import (
    Strategy as Strategy,
    experimental_set_strategy as experimental_set_strategy,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
)
from tensorlite.distributed.strategies.per_replica import (
    DistributedValues as DistributedValues,
)
from tensorlite.distributed.strategies.shared_datasets import (
    DistributedDataset as DistributedDataset,
    DistributedIterator as DistributedIterator,
)

cluster_resolver = cluster_resolvers

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
