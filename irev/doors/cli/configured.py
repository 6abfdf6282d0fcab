"""Configuration files: what they say stands for options that are not given."""

from __future__ import annotations

from typing import NamedTuple

import click
from click.core import ParameterSource


class Configured(NamedTuple):
    """A configuration file, None where there is none, and the judgments and runs that it names, each with its key."""

    path: str | None = None
    named: tuple[tuple[str, str], ...] = ()

    def files(self) -> tuple[str, ...]:
        """The judgments and runs. Raises `InputError`, with the file and the key, for one that is not there."""
        from irev.questions.check.configuration import require_there

        for key, path in self.named:
            require_there(self.path or "", key, path.removeprefix("@") if key == "runs" else path)
        return tuple(path for _, path in self.named)


def configured(ctx: click.Context, param: click.Parameter, path: str | None) -> Configured:
    """Take what the configuration file says for what options do not."""
    from irev.questions.check import configuration

    if ctx.resilient_parsing:
        return Configured()
    # Files are there before this option when it is not given: they are eager too, and it comes last.
    path = path or (None if ctx.params.get("files") else configuration.present())
    if path is None:
        return Configured()
    found = configuration.read(path)
    options = {option.lstrip("-"): each.name for each in ctx.command.params for option in each.opts}
    ctx.default_map = {str(options[key]): value for key, value in found.items() if key not in ("qrels", "runs")}
    qrels = [("qrels", found["qrels"])] if "qrels" in found else []
    return Configured(path, (*qrels, *(("runs", run) for run in found.get("runs", ()))))


def require_configured(ctx: click.Context, name: str, path: str, more: str = "") -> None:
    """Raise `InputError`, with configuration file and key, for a file that an option names there and that is not.

    The remedy ends with `more`.
    """
    if ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
        from irev.questions.check.configuration import require_there

        require_there(ctx.params["config"].path, name.replace("_", "-"), path, more)
