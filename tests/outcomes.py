"""What must hold of whatever a command left behind."""

import re


def no_traceback(text: str) -> bool:
    """Whether the text is free of what Python says of exceptions and warnings."""
    return not any(word in text for word in ("Traceback", 'File "', "Warning:", "Exception ignored"))


def refused(outcome, *facts: str) -> None:
    """Assert that there is no output, status 2, and one error, after warnings at most, that states the facts."""
    status, stdout, stderr = outcome

    assert (2, b"") == (status, stdout)
    messages = [line for line in stderr.splitlines() if not line.startswith("irev: warning: ")]
    assert [True] == [line.startswith("irev: error: ") for line in messages if not line.startswith("Try '")], stderr
    assert no_traceback(stderr)
    assert [] == [fact for fact in facts if fact not in stderr], stderr


def options_in(text: str) -> list[str]:
    """Options of the command that a message names outside of quoted commands and of the quoted text of a file."""
    return re.findall(r"(?<![^\s(])--?[A-Za-z][\w-]*(?!\w)", re.sub(r"`[^`]*`|'[^']*'|-Infinity", "", text))


def parameters_in(text: str) -> list[str]:
    """Parameters of Python with values, or functions of irev, that a message names."""
    return re.findall(r"(?<!, )\b[a-z_]+=(?:'|True|False|None|\{['\w]*:)|\birev\.(?!toml)[a-zA-Z_]+(?=[(\s])", text)
