"""Texts in GitHub's workflow commands, ``::error file=F,title=T::MESSAGE``: none of them may end or forge one."""

from __future__ import annotations


def in_message(text: str) -> str:
    """The message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def in_property(text: str) -> str:
    """The value of a property of a command."""
    return in_message(text).replace(":", "%3A").replace(",", "%2C")
