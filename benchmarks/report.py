"""Turn measured duels into sentences, a Markdown table and JSON. Nothing is measured here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from scenarios import Duel, Scenario

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
MEGABYTE = 1e6


@dataclass(frozen=True)
class Sample:
    """One finished command. The peak is that of the largest of its processes, the processor time that of all."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int


@dataclass
class Outcome:
    """What came of one duel: a pair of samples per round and how outputs compare, or why there was none."""

    scenario: Scenario
    duel: Duel
    irev: list[Sample] = field(default_factory=list)
    rival: list[Sample] = field(default_factory=list)
    output: str = ""
    agrees: bool = True
    skipped: str = ""

    @property
    def ratios(self) -> list[float]:
        """The rival's wall time over irev's, round by round."""
        return [theirs.seconds / ours.seconds for ours, theirs in zip(self.irev, self.rival, strict=True)]

    def goals(self) -> list[tuple[str, bool]]:
        """The goals that this duel decides, each with whether it was met."""
        goals = []
        if self.duel.ratio is not None:
            text = self.duel.ratio_text or f"ratio ≥ {self.duel.ratio:g}"
            goals.append((text, median(self.ratios) >= self.duel.ratio))
        if self.duel.peak_mb is not None:
            goals.append((f"peak ≤ {self.duel.peak_mb:g} MB", peak_mb(self.irev) <= self.duel.peak_mb))
        if self.duel.peak_of_rival:
            goals.append((f"peak ≤ {self.duel.rival}'s", peak_mb(self.irev) <= peak_mb(self.rival)))
        return goals


def wall(samples: list[Sample]) -> float:
    return median(sample.seconds for sample in samples)


def peak_mb(samples: list[Sample]) -> float:
    return max(sample.peak_bytes for sample in samples) / MEGABYTE


def size(samples: list[Sample]) -> str:
    """Median wall time and largest peak, for people."""
    seconds = wall(samples)
    return f"{seconds:.{2 if seconds >= 1 else 3}f} s, {peak_mb(samples):.0f} MB"


def verdict(goals: list[tuple[str, bool]]) -> str:
    return "; ".join(f"{text}: {'met' if met else 'missed'}" for text, met in goals)


def sentence(outcome: Outcome) -> str:
    """One duel as a line for the terminal."""
    opening = f"{outcome.scenario.name}, against {outcome.duel.rival}:"
    if outcome.skipped:
        return f"{opening} skipped, {outcome.skipped}"
    ratios = outcome.ratios
    parts = [
        f"irev {size(outcome.irev)}",
        f"other {size(outcome.rival)}",
        f"other/irev {min(ratios):.2f} / {median(ratios):.2f} / {max(ratios):.2f} (min / median / max)",
        f"goals: {verdict(outcome.goals())}" if outcome.goals() else "",
        f"output: {outcome.output}" if outcome.output else "",
    ]
    return opening + "\n  " + "\n  ".join(part for part in parts if part)


def markdown(outcomes: list[Outcome]) -> str:
    """All duels as a table, and a list of those that were not fought."""
    rows = [
        "| scenario | against | irev | other | other ÷ irev: min / median / max | goal | output |",
        "|---|---|---|---|---|---|---|",
    ]
    for outcome in outcomes:
        if outcome.skipped:
            continue
        ratios = outcome.ratios
        cells = [
            outcome.scenario.name,
            outcome.duel.rival,
            size(outcome.irev),
            size(outcome.rival),
            f"{min(ratios):.2f} / **{median(ratios):.2f}** / {max(ratios):.2f}",
            verdict(outcome.goals()),
            outcome.output,
        ]
        rows.append(f"| {' | '.join(cells)} |")
    skipped = [
        f"- {outcome.scenario.name}, against {outcome.duel.rival}: not measured, {outcome.skipped}."
        for outcome in outcomes
        if outcome.skipped
    ]
    return "\n".join([*rows, "", *skipped]).rstrip() + "\n"


def as_json(machine: dict[str, str], outcomes: list[Outcome]) -> dict[str, object]:
    """Everything that was measured, sample by sample."""
    return {
        "machine": machine,
        "duels": [
            {
                "scenario": outcome.scenario.name,
                "input": outcome.scenario.input,
                "options": outcome.scenario.options,
                "rival": outcome.duel.rival,
                "skipped": outcome.skipped,
                "irev": [vars(sample) for sample in outcome.irev],
                "other": [vars(sample) for sample in outcome.rival],
                "ratios": outcome.ratios,
                "output": outcome.output,
                "goals": {} if outcome.skipped else dict(outcome.goals()),
            }
            for outcome in outcomes
        ],
    }


def write_readme(path: Path, machine: dict[str, str], rounds: int, outcomes: list[Outcome]) -> None:
    """Replace the block of results in a page; the rest of the page stays as it is."""
    text = path.read_text(encoding="utf-8")
    facts = "\n".join(f"- {name}: {value}" for name, value in machine.items())
    block = f"{BEGIN}\n{facts}\n- counted rounds per duel: {rounds}\n\n{markdown(outcomes)}{END}"
    new, replaced = re.subn(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: block, text, flags=re.DOTALL)
    if replaced != 1:
        raise SystemExit(f"{path}: expected one block between {BEGIN} and {END}, found {replaced}")
    path.write_text(new, encoding="utf-8")
