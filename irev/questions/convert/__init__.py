"""Convert: judgments and runs in another format, with all that they hold or not at all."""
