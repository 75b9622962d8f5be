"""tf.train of TensorFlow 1: gathers its names from where they live."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1.averages import (
    ExponentialMovingAverage,
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from tensorlite.compat.v1.graphdefs import write_graph
from tensorlite.compat.v1.hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    ProfilerHook,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    StopAtStepHook,
    SummarySaverHook,
)
from tensorlite.compat.v1.input import (
    QueueRunner,
    add_queue_runner,
    batch,
    batch_join,
    input_producer,
    limit_epochs,
    match_filenames_once,
    maybe_batch,
    maybe_shuffle_batch,
    range_input_producer,
    shuffle_batch,
    shuffle_batch_join,
    slice_input_producer,
    start_queue_runners,
    string_input_producer,
)
from tensorlite.compat.v1.metagraphs import export_meta_graph
from tensorlite.compat.v1.monitored import (
    MonitoredSession,
    MonitoredTrainingSession,
    SingularMonitoredSession,
)
from tensorlite.compat.v1.optimizer import Optimizer
from tensorlite.compat.v1.optimizers import (
    AdadeltaOptimizer,
    AdagradDAOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    FtrlOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer,
    RMSPropOptimizer,
)
from tensorlite.compat.v1.placing import ClusterSpec, Server, replica_device_setter
from tensorlite.compat.v1.saver import Saver, SaverDef, import_meta_graph
from tensorlite.compat.v1.scaffolds import (
    ChiefSessionCreator,
    Scaffold,
    SessionManager,
    WorkerSessionCreator,
)
from tensorlite.compat.v1.schedules import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from tensorlite.compat.v1.summaries_before import SummaryWriter
from tensorlite.compat.v1.supervisor import Supervisor
from tensorlite.compat.v1.sync_replicas import SyncReplicasOptimizer
from tensorlite.interop.tensorflow.stored.checkpoints import (
    CheckpointReader as NewCheckpointReader,
)
from tensorlite.interop.tensorflow.stored.checkpoints import (
    exists as checkpoint_exists,
)
from tensorlite.interop.tensorflow.stored.checkpoints import (
    list_variables,
    load_checkpoint,
    load_variable,
)
from tensorlite.interop.tensorflow.stored.states import (
    CheckpointState,
    get_checkpoint_state,
    latest_checkpoint,
    update_checkpoint_state,
)
from tensorlite.ops.example_messages import NAMES, example_message
from tensorlite.train.coordinator import Coordinator
from tensorlite.train.summaries.event_file import read_events as summary_iterator


def __getattr__(name: str) -> object:
    """Return one of the messages that records hold, such as Example, which need protobuf."""
    if name in NAMES:
        return example_message(name)
    raise attribute_error(__name__, name, globals())
