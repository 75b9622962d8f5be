"""Every operator with its inference, kernel, gradient and public function together."""
