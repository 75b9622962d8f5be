"""tf.train of TensorFlow 1: gathers its names from where they live."""

from __future__ import annotations

from tensorlite.compat.later import of_version_2
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1 import (
    mixed_precision as experimental,  # noqa: F401
    queue_runner as queue_runner,
)
from tensorlite.compat.v1.graphs.graphdefs import write_graph as write_graph
from tensorlite.compat.v1.graphs.metagraphs import (
    export_meta_graph as export_meta_graph,
)
from tensorlite.compat.v1.pipelines.batching import (
    batch as batch,
    batch_join as batch_join,
    maybe_batch as maybe_batch,
    maybe_batch_join as maybe_batch_join,
    maybe_shuffle_batch as maybe_shuffle_batch,
    maybe_shuffle_batch_join as maybe_shuffle_batch_join,
    shuffle_batch as shuffle_batch,
    shuffle_batch_join as shuffle_batch_join,
)
from tensorlite.compat.v1.pipelines.input import (
    QueueRunner as QueueRunner,
    add_queue_runner as add_queue_runner,
    input_producer as input_producer,
    limit_epochs as limit_epochs,
    match_filenames_once as match_filenames_once,
    range_input_producer as range_input_producer,
    slice_input_producer as slice_input_producer,
    start_queue_runners as start_queue_runners,
    string_input_producer as string_input_producer,
)
from tensorlite.compat.v1.summaries_before import SummaryWriter as SummaryWriter
from tensorlite.compat.v1.supervisor import (
    Supervisor as Supervisor,
    basic_train_loop as basic_train_loop,
)
from tensorlite.compat.v1.training.averages import (
    ExponentialMovingAverage as ExponentialMovingAverage,
    assert_global_step as assert_global_step,
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
    global_step as global_step,
)
from tensorlite.compat.v1.training.hooks import (
    CheckpointSaverHook as CheckpointSaverHook,
    LoggingTensorHook as LoggingTensorHook,
    ProfilerHook as ProfilerHook,
    StepCounterHook as StepCounterHook,
    SummarySaverHook as SummarySaverHook,
)
from tensorlite.compat.v1.training.monitored import (
    MonitoredSession as MonitoredSession,
    MonitoredTrainingSession as MonitoredTrainingSession,
    SingularMonitoredSession as SingularMonitoredSession,
)
from tensorlite.compat.v1.training.optimizer import Optimizer as Optimizer
from tensorlite.compat.v1.training.optimizer_classes import (
    AdadeltaOptimizer as AdadeltaOptimizer,
    AdagradDAOptimizer as AdagradDAOptimizer,
    AdagradOptimizer as AdagradOptimizer,
    AdamOptimizer as AdamOptimizer,
    FtrlOptimizer as FtrlOptimizer,
    GradientDescentOptimizer as GradientDescentOptimizer,
    MomentumOptimizer as MomentumOptimizer,
    ProximalAdagradOptimizer as ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
    RMSPropOptimizer as RMSPropOptimizer,
)
from tensorlite.compat.v1.training.placing import (
    ClusterSpec as ClusterSpec,
    Server as Server,
    replica_device_setter as replica_device_setter,
)
from tensorlite.compat.v1.training.saver import (
    Saver as Saver,
    SaverDef as SaverDef,
    get_checkpoint_mtimes as get_checkpoint_mtimes,
    import_meta_graph as import_meta_graph,
    remove_checkpoint as remove_checkpoint,
)
from tensorlite.compat.v1.training.scaffolds import (
    ChiefSessionCreator as ChiefSessionCreator,
    Scaffold as Scaffold,
    SessionManager as SessionManager,
    WorkerSessionCreator as WorkerSessionCreator,
)
from tensorlite.compat.v1.training.schedules import (
    cosine_decay as cosine_decay,
    cosine_decay_restarts as cosine_decay_restarts,
    exponential_decay as exponential_decay,
    inverse_time_decay as inverse_time_decay,
    linear_cosine_decay as linear_cosine_decay,
    natural_exp_decay as natural_exp_decay,
    noisy_linear_cosine_decay as noisy_linear_cosine_decay,
    piecewise_constant as piecewise_constant,
    piecewise_constant_decay as piecewise_constant_decay,
    polynomial_decay as polynomial_decay,
)
from tensorlite.compat.v1.training.starting import (
    VocabInfo as VocabInfo,
    init_from_checkpoint as init_from_checkpoint,
    warm_start as warm_start,
)
from tensorlite.compat.v1.training.sync_replicas import (
    SyncReplicasOptimizer as SyncReplicasOptimizer,
)
from tensorlite.graph_mode.hooks import (
    CheckpointSaverListener as CheckpointSaverListener,
    FeedFnHook as FeedFnHook,
    FinalOpsHook as FinalOpsHook,
    GlobalStepWaiterHook as GlobalStepWaiterHook,
    NanLossDuringTrainingError as NanLossDuringTrainingError,
    NanTensorHook as NanTensorHook,
    SecondOrStepTimer as SecondOrStepTimer,
    SessionRunArgs as SessionRunArgs,
    SessionRunContext as SessionRunContext,
    SessionRunHook as SessionRunHook,
    SessionRunValues as SessionRunValues,
    StopAtStepHook as StopAtStepHook,
)
from tensorlite.graph_mode.session_managers import SessionCreator as SessionCreator
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.stored import checkpoints
from tensorlite.interop.tensorflow.stored.checkpoints import (
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from tensorlite.interop.tensorflow.stored.states import (
    CheckpointState as CheckpointState,
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    state_after as _state_after,
    update_checkpoint_state as update_checkpoint_state,
)
from tensorlite.ops.records.example_messages import NAMES, example_message
from tensorlite.train.coordinator import Coordinator as Coordinator
from tensorlite.train.looper import LooperThread as LooperThread
from tensorlite.train.summaries import event_file

NewCheckpointReader = checkpoints.CheckpointReader
checkpoint_exists = checkpoints.exists
generate_checkpoint_state_proto = _state_after
summary_iterator = event_file.read_events


_OF_CLUSTERS = ("ClusterDef", "JobDef")
_OF_VERSION_2 = ("Checkpoint", "CheckpointManager", "checkpoints_iterator")


__dir__ = listing(__name__, globals(), NAMES, _OF_CLUSTERS, _OF_VERSION_2)


def __getattr__(name: str) -> object:
    """Return one of the messages that records hold, which need protobuf, or what version 2 has."""
    if name in NAMES:
        return example_message(name)
    if name in _OF_CLUSTERS:
        return message(name)
    if name in _OF_VERSION_2:
        return of_version_2("train", name)
    raise attribute_error(__name__, name, [*globals(), *_OF_VERSION_2])
