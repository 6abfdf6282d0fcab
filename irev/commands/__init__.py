"""The commands of the core that answer a question: a folder for each, with its choices, answer and finding."""
