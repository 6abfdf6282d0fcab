"""The questions that irev answers: a folder for each, with its choices, its answer and its finding."""
