"""What tf.contrib.learn is made of: estimators as they were before tf.estimator."""
