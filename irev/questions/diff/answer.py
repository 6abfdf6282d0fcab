"""What changed between two runs: the change of every query, and the documents of those that are looked at."""

from __future__ import annotations

from irev.base.text import decoded, named
from irev.errors import InputError, shown
from irev.evaluation.changes import Changes, changes, details
from irev.evaluation.run_names import names_of
from irev.output.reports.ranking import Excerpt
from irev.questions.diff.choices import DiffChoices
from irev.questions.diff.finding import Difference, Names, shown_of
from irev.questions.question import Given


def answer(given: Given, choices: DiffChoices) -> Difference:
    """What changed from one run to the other."""
    asked = tuple(dict.fromkeys(choices.query))
    with given.single_queries(given.settings, asked) as (judgments, requests, (before, after)):
        found = changes(before.ranked, after.ranked, requests)
        sections = looked_at(found, asked, choices)
        queries = [found.queries[place] for section in sections for place in section]
        earlier, later = (run.keep(queries) if queries else {} for run in (before, after))
        depth = choices.pool_depth or requests[0].cutoff or 10
        looked = details(found, before.ranked, after.ranked, earlier, later, depth)
        tags = [decoded(run.ranked.tag) for run in (before, after)]
        called = names_of([before.name, after.name], tags, (), lambda note: None)
        large = given.settings.allow_large
        excerpt = Excerpt(choices.top, choices.everything, given.texts.of_queries(queries, large))
        texts = given.texts.of_documents({move.document for each in looked for move in shown_of(each, excerpt)}, large)
    return Difference(
        found,
        sections,
        looked,
        depth,
        Names(*map(named, (judgments.name, *called, before.path, after.path))),
        given.settings.policy,
        excerpt._replace(documents=texts),
        choices.unjudged,
    )


def looked_at(found: Changes, asked: tuple[bytes, ...], choices: DiffChoices) -> tuple[tuple[int, ...], ...]:
    """The queries that are looked at, by their places, in groups: those that were asked for, or that changed most.

    Raises `InputError` for a query that does not count.
    """
    if not asked:
        sides = tuple(found.worse[: choices.limit]), tuple(found.better[: choices.limit])
        return sides[::-1] if choices.best else sides
    places = {query: place for place, query in enumerate(found.queries)}
    for query in asked:
        if query not in places:
            raise InputError(f"query {shown(query)} does not count: a run has no results for it")
    return (tuple(places[query] for query in asked),)
