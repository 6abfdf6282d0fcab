"""Click models of logs: what slow arithmetic makes of them, and that they give back what logs were made of."""

import json
import math
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from outcomes import refused
from reference_clicks import as_jsonl
from users import simulated

import irev as package
from benchmarks import click_models as benchmark
from irev.base.errors import InputError
from irev.extensions.clicks.events.log import Log
from irev.extensions.clicks.online import ClickModelChoices
from irev.extensions.clicks.online import click_models as fits
from irev.extensions.clicks.online.click_models import MODELS, ClickModels, fitted

SAMPLE = ROOT / "sample_data"
NAMES = ("cascade", "position")


def some_log(seed: int, impressions: int = 60) -> list:
    """Lists of four of six documents, for two queries, of twelve users; some have several clicks."""
    rng, rows = random.Random(seed), []
    for number in range(impressions):
        documents = rng.sample([f"d{each}" for each in range(6)], rng.choice([2, 4, 4]))
        shown = {"event": "impression", "impression": f"i{number}", "user": f"u{rng.randrange(12)}"}
        rows.append(shown | {"query": f"q{rng.randrange(2)}", "documents": documents})
        for place, document in enumerate(documents, 1):
            if rng.random() < {"d0": 0.7, "d1": 0.5}.get(document, 0.2) / place**0.5:
                rows.append({"event": "click", "impression": f"i{number}", "position": place})
    return rows


def sessions(rows: list) -> list[tuple[list, list[bool]]]:
    """The pairs of each list, and which were clicked."""
    found = {}
    for row in rows:
        if row["event"] == "impression":
            found[row["impression"]] = ([(row["query"], each) for each in row["documents"]], [False] * 10)
        else:
            found[row["impression"]][1][row["position"] - 1] = True
    return [(pairs, clicked[: len(pairs)]) for pairs, clicked in found.values()]


def of_log(rows: list, path: Path, memory: int | None = None, **choices) -> ClickModels:
    path.write_bytes(as_jsonl(rows))
    with Log([str(path)]) as log:
        return fitted(log, ClickModelChoices(**choices), memory)


def parameters(found: ClickModels, name: str) -> list[float | None]:
    (model,) = (each for each in found.found if each.name == name)
    return [each.value for each in model.parameters]


def likelihood_of_positions(seen: list, looks: list[float], attraction: dict) -> float:
    chances = [
        looks[place] * attraction[pair] if clicked[place] else 1 - looks[place] * attraction[pair]
        for pairs, clicked in seen
        for place, pair in enumerate(pairs)
    ]
    return math.fsum(map(math.log, chances))


def positions_slowly(seen: list, places: int) -> list[float]:
    """Looking, relative to the first position, by 3,000 plain steps of expectation maximisation."""
    looks, attraction = [1 / (place + 1) for place in range(places)], defaultdict(lambda: 0.5)
    for _ in range(3000):
        looked, attracted = [[0.0, 0] for _ in range(places)], defaultdict(lambda: [0.0, 0])
        for pairs, clicked in seen:
            for place, pair in enumerate(pairs):
                g, a = looks[place], attraction[pair]
                looked[place][0] += 1 if clicked[place] else g * (1 - a) / (1 - g * a)
                attracted[pair][0] += 1 if clicked[place] else a * (1 - g) / (1 - g * a)
                looked[place][1] += 1
                attracted[pair][1] += 1
        looks = [above / below for above, below in looked]
        attraction = {pair: above / below for pair, (above, below) in attracted.items()}
    return [each / looks[0] for each in looks]


@pytest.mark.parametrize("seed", range(2))
def test_positions_are_what_plain_steps_over_all_lists_come_to(seed: int, tmp_path: Path) -> None:
    rows = some_log(seed)
    expected = positions_slowly(sessions(rows), 4)
    assert expected == pytest.approx(parameters(of_log(rows, tmp_path / "log"), "position"), abs=1e-3)


def counts_of(rows: list, path: Path) -> fits.ModelFitter:
    path.write_bytes(as_jsonl(rows))
    with Log([str(path)]) as log:
        shown = fits.ModelFitter(log)
        for some in log.impressions():
            shown.add(some)
    return shown


def test_attraction_of_a_cascade_is_first_clicks_of_those_who_came_so_far(tmp_path: Path) -> None:
    seen = defaultdict(lambda: [0, 0])
    for pairs, clicked in sessions(some_log(5)):
        for place, pair in enumerate(pairs):
            seen[pair][1] += 1
            seen[pair][0] += clicked[place]
            if clicked[place]:
                break
    shown = counts_of(some_log(5), tmp_path / "log")
    shown._deal()
    (items,) = shown._parts()
    pairs = fits.QueryDocumentPairs.of(iter([items]))
    cells = fits._cells(iter([items]), pairs)
    whole = fits._counts(cells, len(pairs.keys), 4)
    found = MODELS["cascade"].fit(whole, None)
    told = sorted(zip(found.attracts.tolist(), found.out_of.tolist(), strict=True))
    assert sorted(map(tuple, seen.values())) == [each for each in told if each[1]]


def chances_slowly(name: str, attraction: list[float], of_places: list[float]) -> list[float]:
    found, looks = [], 1.0
    for place, attracts in enumerate(attraction):
        if name == "position":
            found.append(of_places[place] * attracts)
            continue
        found.append(looks * attracts)
        looks *= 1 - attracts
    return found


@pytest.mark.parametrize("name", NAMES)
def test_chances_of_a_list_are_those_of_its_documents_one_after_the_other(name: str) -> None:
    attraction, of_places = [0.3, 0.5, 0.9, 0.2], [0.9, 0.6, 0.4, 0.1]
    found = MODELS[name].chances(np.array([attraction, [0.4, 0.1, 0, 0]]), np.array(of_places))
    assert chances_slowly(name, attraction, of_places) == pytest.approx(found[0].tolist())
    assert chances_slowly(name, [0.4, 0.1], of_places) == pytest.approx(found[1, :2].tolist())


def test_perplexity_is_that_of_users_who_were_left_out(tmp_path: Path) -> None:
    rows = some_log(4, 80)
    shown = counts_of(rows, tmp_path / "log")
    shown._deal()
    (items,) = shown._parts()
    pairs, bits = fits.QueryDocumentPairs.of(iter([items])), 0.0
    begins = np.flatnonzero(items["place"] == 0)
    for group in np.unique(items["group"]):
        others = items[items["group"] != group]
        cells = fits._cells(iter([others]), pairs)
        of = MODELS["cascade"].fit(fits._counts(cells, len(pairs.keys), 4), None)
        attraction = dict(zip(pairs.keys.tolist(), of.attraction()[pairs.number].tolist(), strict=True))
        for some in np.split(items, begins[1:]):
            if some["group"][0] == group:
                listed = [attraction[pair] for pair in some["pair"].tolist()]
                chances = chances_slowly("cascade", listed, [])
                for clicked, chance in zip(some["clicked"], chances, strict=True):
                    bits -= math.log2(chance if clicked else 1 - chance)
    (found,) = (each for each in shown.fitted(0.95) if each.name == "cascade")
    assert 2 ** (bits / len(items)) == pytest.approx(found.perplexity, rel=1e-4)


def test_parts_change_nothing_that_is_seen(tmp_path: Path) -> None:
    whole, parts = (of_log(some_log(1, 200), tmp_path / "log", memory) for memory in (None, 0))
    for one, other in zip(whole.found, parts.found, strict=True):
        assert one.perplexity == pytest.approx(other.perplexity, rel=1e-5)
        assert [each.value for each in one.parameters] == pytest.approx(
            [each.value for each in other.parameters], abs=1e-4
        )


@pytest.mark.thorough
def test_what_logs_were_made_of_comes_back() -> None:
    rng, held = np.random.default_rng(2), []
    for _ in range(6):
        found = benchmark.fitted(benchmark.made_up("position", rng))
        assert "position" == found[0].name
        for rank in range(1, 8):
            low, high = found[0].parameters[rank].interval
            held.append(low <= benchmark.LOOKS[rank] <= high)
    assert sum(held) >= 0.85 * len(held)


def test_positions_without_a_document_in_common_are_not_told(irev, tmp_path: Path) -> None:
    rows = []
    for number in range(40):
        rows.append({"event": "impression", "impression": f"{number}", "query": "q", "documents": ["a", "b", "c"]})
        rows.append({"event": "click", "impression": f"{number}", "position": 1 + number % 3})
    found = of_log(rows, tmp_path / "log")
    assert [1.0, None, None] == parameters(found, "position")
    done = irev("online", "click-models", "--propensities-to", str(tmp_path / "p"), str(tmp_path / "log"))
    refused(done, "how often users look at position 2; show documents at several positions")
    assert not (tmp_path / "p").exists()


def test_what_lacks_a_query_or_documents_is_refused(tmp_path: Path) -> None:
    for lacks, row in (("query", {"documents": ["a"]}), ("documents", {"query": "q"})):
        with pytest.raises(InputError, match=f"the impression has no {lacks}"):
            of_log([{"event": "impression", "impression": "1", **row}], tmp_path / "log")


@pytest.mark.thorough
def test_propensities_of_a_log_stand_in_for_those_that_it_was_made_with(irev, tmp_path: Path) -> None:
    log, file = tmp_path / "log", tmp_path / "p"
    simulated(log, "hybrid", "keyword", "semantic", impressions=6000, users=2000)
    done = irev("online", "click-models", "-f", "json", "--propensities-to", str(file), str(log))
    assert 0 == done.status
    rows = [row for row in json.loads(done.stdout)["models"] if row["model"] == "position" and row["position"]]
    written = [float(line) for line in file.read_text().splitlines()]
    assert [row["value"] for row in rows] == pytest.approx([each / written[0] for each in written])
    assert [1 / place for place in range(1, 5)] == pytest.approx(written[:4], abs=0.1)
    true, told = (
        package.off_policy(log, SAMPLE / "semantic.run", propensities=given).estimates[0].value
        for given in (None, written)
    )
    assert true == pytest.approx(told, rel=0.05)
