"""Options of ``irev eval`` with Spark, without any: a new one is decided on."""

from dataclasses import fields

from irev.base.settings import Settings
from irev.doors.cli import command
from irev.doors.cli.options import Reporting, Running
from irev.spark.__main__ import NOT_HERE

OWN = {"files", "measures", "aggregates", "bounds", "per_query", "no_summary"}


def test_every_option_of_irev_eval_is_served_or_refused_by_name():
    """Served are those that become settings, that say how results look and runs are called, and those of `OWN`."""
    records = {field.name for record in (Settings, Reporting, Running) for field in fields(record)}
    served = (records - NOT_HERE.keys()) | OWN
    there = {parameter.name for parameter in command("eval").params if parameter.expose_value}
    assert served & there | NOT_HERE.keys() == there
    assert {field.name for field in fields(Running)} == {
        "names_given",
        "all_warnings",
        "jobs",
        "quiet",
        "executor",
        "wait",
    }
