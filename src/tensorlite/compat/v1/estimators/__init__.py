"""What tf.estimator is made of; its names are in estimator.py above.

`base.py` trains, judges and asks models, `configuration.py` says how; `specs.py` has what functions
that build models give back, `heads.py`, `many_heads.py` and `measuring.py` losses and metrics,
`canned.py` and `ready.py` the models that are there, `receivers.py` and `exporting.py` how they are
exported, `starting.py` where variables begin, `together.py` training and judging in turns,
`accelerated.py` what was written for TPUs.
"""
