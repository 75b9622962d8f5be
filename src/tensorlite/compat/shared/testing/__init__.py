"""What tests of TensorFlow's programs are made on."""
