"""The catalogue as a shell sees it: `irev measures` as a list, as pages, as JSON and as explanations, and what shells
are told when they complete a command line."""

import json
import os
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, Started, all_of_terminal, as_process, environment, in_process
from outcomes import refused
from shell import IREV

from irev import __version__, cli
from irev.cli.lists import lines_of
from irev.measures import MEASURES, literature, parse
from irev.measures import spellings as calls
from irev.measures.literature import WORKS, sources
from irev.measures.measure import SETS
from irev.measures.pages import PARTS, families, page
from irev.measures.readings import chosen, explain
from irev.measures.readings import offered as measures_offered
from irev.statistics.plan import TEST_NAMES

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def printed(*arguments: str) -> str:
    """What the command prints when all is well."""
    status, stdout, stderr = in_process(*arguments)
    assert (0, "") == (status, stderr)
    return stdout.decode()


def refusal(*arguments: str) -> str:
    """The one error, where nothing is printed."""
    status, stdout, stderr = in_process(*arguments)
    assert (2, b"") == (status, stdout)
    return stderr.splitlines()[0].removeprefix("irev: error: ")


# The list


def test_the_list_has_a_line_for_every_measure_with_both_names_and_a_sentence():
    lines = [line.split(maxsplit=2) for line in printed("measures").splitlines() if line.startswith("  ")]
    listed = {name.partition(".")[0]: (standard.partition("@")[0], rest) for name, standard, rest in lines}
    expected = {m.name: (m.standard, page(m).summary) for m in MEASURES.values()}
    assert expected == {name: listed.get(name) for name in MEASURES}


def test_the_list_goes_by_family():
    unindented = [line for line in printed("measures").splitlines() if line[:1].strip()]
    assert [family.title for family in families()] == unindented[: len(families())]


def test_what_is_not_there_yet_stands_at_the_end_of_the_list():
    last = printed("measures").partition("\nNot there yet\n")[2]
    assert [] == [name for names in calls.ABSENT.values() for name in names if name not in last]


def test_a_set_lists_its_measures_alone():
    listed = [line.split()[0] for line in printed("measures", "set").splitlines() if line.startswith("  ")]
    assert sorted(SETS["set"]) == sorted(listed)


def drawn_on(width: int, colour: bool = False) -> str:
    return "\n".join(lines_of(families(), width, colour))


@pytest.mark.parametrize("width", [30, 40, 60, 80, 99, 100, 140, 250])
def test_a_terminal_of_any_width_has_every_measure_in_lines_that_fit(width):
    drawn = drawn_on(width)
    assert [] == [line for line in drawn.split("\n") if len(line) > width]
    assert [] == [name for name in MEASURES if name not in drawn]


def test_what_a_measure_is_stands_in_full_where_a_terminal_is_wide_or_narrow():
    wide, narrow = (" ".join(drawn_on(width).split()) for width in (250, 40))
    sentences = [page(measure).summary for measure in MEASURES.values()]
    assert [[], []] == [[s for s in sentences if s not in drawn] for drawn in (wide, narrow)]


def test_colours_change_nothing_but_colours():
    drawn = drawn_on(80, colour=True)
    assert COLOURS.search(drawn)
    assert drawn_on(80) == COLOURS.sub("", drawn)


# Pages


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_a_page_with_its_definition_source_and_example(name):
    shown, text = page(MEASURES[name]), printed("measures", name)
    flat = " ".join(text.split())
    said = [shown.summary, *shown.definition, *shown.parameters, *shown.elsewhere, shown.source, shown.example]
    assert [] == [part for part in said if " ".join(part.split()) not in flat]
    assert shown.example.startswith(("drawn ", "grades ", "levels ", "strata ", "subtopics ", "true ", "vital "))
    assert [] == [line for line in text.splitlines() if len(line) > 80]


@pytest.mark.parametrize("name", MEASURES)
def test_every_paragraph_of_a_docstring_is_on_the_page(name):
    words = MEASURES[name].documentation.split()
    shown = page(MEASURES[name])
    parts = [shown.summary, *shown.definition, *shown.parameters, *shown.elsewhere, shown.source, shown.example]
    labels = [word for word in words if word.rstrip(":") in PARTS and word.endswith(":")]
    assert len(words) - len(labels) == sum(len(part.split()) for part in parts)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        ("measures",),
        ("measures", "--json"),
        ("measures", *MEASURES),
        ("measures", "--explain", "AP"),
        ("--help",),
        *((*command.split(), "--help") for command in cli.every_command()),
    ],
    ids=lambda words: " ".join(words)[:20],
)
def test_without_docstrings_in_memory_python_shows_the_same(process, arguments):
    """``python -OO`` drops them."""
    kept, dropped = process(*arguments), process(*arguments, PYTHONOPTIMIZE="2")
    assert kept.status == 0
    assert kept == dropped


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *(("ndcg", "ndcg"), ("nDCG", "ndcg"), ("nDCG@10", "ndcg_cut"), ("ndcg_cut.10", "ndcg_cut")),
        *(("ndcg_cut_10", "ndcg_cut"), ("NDCG@10", "ndcg_cut"), ("ndcg_at_10", "ndcg_cut"), ("nDCG@k", "ndcg_cut")),
        *(("P.k", "P"), ("P@k", "P"), ("precision_at_k", "P"), ("IPrec@x", "iprec_at_recall"), ("rbp.95", "rbp")),
        *(("hit_rate@5", "success"), ("r-precision", "Rprec"), ("SetF(beta=2)", "set_F"), ("MAP", "map")),
    ],
)
def test_a_page_is_found_under_any_spelling(text, name):
    assert printed("measures", name) == printed("measures", text)


@pytest.mark.thorough
def test_the_names_of_every_list_find_their_page():
    names = [text for m in MEASURES.values() for text in (*page(m).written, *(alias.name for alias in page(m).also))]
    assert [] == [name for name in names if in_process("measures", name).status]


def test_several_pages_come_in_the_order_asked_for_and_once_each():
    expected = printed("measures", "RR") + "\n" + printed("measures", "map")
    assert expected == printed("measures", "RR", "map", "recip_rank.10")


def test_a_page_tells_options_other_names_and_what_engine_offers():
    text = " ".join(printed("measures", "ndcg_cut").split())
    for part in (
        "gain: linear or exp; linear unless given",
        "ranx: ndcg@k, ndcg_burges@k (gain=exp)",
        "Bounds exact",
        "Ties exact expected value over all orders",
        "trec_eval 9.0.8, 10.0",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("nDGC", "there is no measure 'nDGC'; did you mean 'ndcg'"),
        ("rbo", "there is no measure 'rbo'; 'irev rbo' does this; see `irev help rbo`"),
        ("ABNDCG@10", "'ABNDCG' is a preference measure that irev does not have"),
        ("map_cut.ten", "'ten' is not a cutoff for measure 'map_cut'"),
    ],
)
@pytest.mark.parametrize("option", [(), ("--explain",), ("--json",)])
def test_an_unknown_name_is_refused_with_a_suggestion(text, fact, option):
    assert refusal("measures", *option, text).startswith(fact)


def test_explaining_nothing_is_refused():
    assert "expected a NAME to explain" == refusal("measures", "--explain")


@pytest.mark.parametrize("arguments", [["measures"], ["measures", "ndcg"], ["measures", "--json"]])
def test_letters_that_an_encoding_lacks_are_no_obstacle(arguments):
    told = as_process(*arguments, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert as_process(*arguments) == told
    assert (0, "") == (told.status, told.stderr)


# JSON


def keys_of_table(heading: str) -> list[str]:
    """The keys that a table of the documentation of JSON lists."""
    rows = (ROOT / "docs" / "measure-language.md").read_text(encoding="utf-8").partition(heading)[2].split("\n")[2:]
    table = rows[: rows.index("")]
    return [key for row in table for key in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_json_has_every_measure_with_the_documented_keys():
    record = json.loads(printed("measures", "--json"))
    assert sorted(keys_of_table("| key | what it has |")) == sorted(record)
    assert sorted(MEASURES) == sorted(measure["name"] for measure in record["measures"])
    assert [sorted(keys_of_table("| key of a measure | what it has |"))] * len(MEASURES) == [
        sorted(measure) for measure in record["measures"]
    ]
    assert {name: list(members) for name, members in SETS.items()} == record["sets"]


def test_json_of_some_measures_has_those():
    record = json.loads(printed("measures", "--json", "nDCG@10", "P"))
    assert {"ndcg_cut", "P"} == {measure["name"] for measure in record["measures"]}
    f_measure = json.loads(printed("measures", "--json", "F"))["measures"][0]
    assert [("beta", "1")] == [(option["name"], option["default"]) for option in f_measure["options"]]
    assert {"tool": "ranx", "name": "f1@k", "options": {}} in f_measure["also"]


# Explanations


@pytest.mark.parametrize(
    ("text", "spelling", "label", "standard", "parameters"),
    [
        ("map", "trec_eval", "map", "AP", {"over": "relevant"}),
        ("P.5", "trec_eval", "P_5", "P@5", {"k": "5"}),
        ("P_5", "trec_eval, a printed label", "P_5", "P@5", {"k": "5"}),
        ("recip_rank.10,rel=2", "trec_eval's style", "recip_rank_10,rel=2", "RR(rel=2)@10", {"k": "10", "rel": "2"}),
        ("bpref(rel=2)", "trec_eval's name in a call", "bpref_rel=2", "Bpref(rel=2)", {"rel": "2"}),
        ("P@5", "standard name, BEIR", "P_5", "P@5", {"k": "5"}),
        ("hit_rate@5", "ranx", "success_5", "Success@5", {"k": "5"}),
        ("precision@10-l2", "ranx", "P_10,rel=2", "P(rel=2)@10", {"k": "10", "rel": "2"}),
        ("precision", "ranx", "set_P", "SetP", {}),
        ("recall_at_100", "MTEB", "recall_100", "R@100", {"k": "100"}),
        ("MAP@10", "ir_measures, BEIR", "map_cut_10", "AP@10", {"k": "10", "over": "relevant"}),
        ("SetF(beta=2)", "standard name", "set_F_beta=2", "SetF(beta=2)", {"beta": "2"}),
        ("set_F.2", "trec_eval", "set_F_2", "SetF(x=2)", {"x": "2"}),
        ("IPrec@0.1", "standard name", "iprec_at_recall_0.10", "IPrec@0.1", {"level": "0.1", "rule": "trec_eval"}),
        ("AP(agg=median)", "standard name", "map_agg=median", "AP(agg=median)", {"over": "relevant", "agg": "median"}),
    ],
)
def test_a_text_is_explained(text, spelling, label, standard, parameters):
    explanation = explain(text)
    assert spelling == explanation.spelling
    assert [(label, standard, parameters)] == [(r.label, r.standard, dict(chosen(r))) for r in explanation.requests]
    lines = printed("measures", "--explain", text).splitlines()
    request = explanation.requests[0]
    assert f"{text}: {spelling}" == lines[0]
    assert f"{request.measure.name}: {page(request.measure).summary}" == lines[1].strip()
    assert [label, standard] == lines[2].split()[:2]


def test_options_at_their_defaults_are_told_too():
    assert {"k": "10", "gain": "exp", "discount": "log2", "base": "2"} == dict(
        chosen(explain("ndcg_burges@10").requests[0])
    )


@pytest.mark.parametrize(
    "text", ["official", "P", "nDCG@5,10", "rbp.95", "ndcg_burges@10", "R_cap@10", "IPrec@0.1,0.5"]
)
def test_the_labels_of_an_explanation_parse_back(text):
    requests = explain(text).requests
    assert [requests, requests] == [parse(r.label for r in requests), parse(r.standard for r in requests)]


def test_a_set_is_explained_line_by_line():
    assert "a set of 12 measures" == explain("official").spelling
    assert parse(["official"]) == explain("official").requests
    record = json.loads(printed("measures", "--explain", "--json", "official", "P@5"))
    assert ["official", "P@5"] == [each["text"] for each in record]
    assert {"measure", "summary", "parameters", "trec", "standard"} == set(record[1]["lines"][0])


def test_an_explanation_has_the_note_that_an_evaluation_would_have():
    assert "cutoff '5.0' of measure 'P' is read as 5" in printed("measures", "--explain", "P.5.0")


# Completion


def offered(shell: str, line: str) -> list[str]:
    """What a shell is told when Tab is pressed at the end of a line: kind and value."""
    words = line.split(" ")
    variables = {"COMP_WORDS": line, "COMP_CWORD": words[-1] if shell == "fish" else str(len(words) - 1)}
    status, stdout, stderr = as_process(_IREV_COMPLETE=f"{shell}_complete", **variables)
    assert (0, "") == (status, stderr)
    lines = stdout.decode().splitlines()
    if shell == "zsh":
        return [f"{kind},{value}".replace("\\:", ":") for kind, value in zip(lines[::3], lines[1::3], strict=True)]
    return [item.partition("\t")[0] for item in lines]


SHELLS = ["bash", "zsh", "fish"]


@pytest.mark.thorough
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("command", ["irev eval -m ", "irev -m ", "irev -q --measure ", "irev measures "])
def test_names_of_measures_are_completed(shell, command):
    assert ["plain,nDCG", "plain,nDCG@", "plain,nDCGrel", "plain,nDCG-IA@"] == offered(shell, f"{command}nDC")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("begun", "expected"),
    [
        ("off", ["official"]),
        ("r-p", ["r-precision"]),
        ("AP,r-p", ["AP,r-precision"]),
    ],
)
def test_sets_and_lists_are_completed(shell, begun, expected):
    assert [f"plain,{value}" for value in expected] == offered(shell, f"irev -m {begun}")


@pytest.mark.thorough
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("irev ev", ["plain,eval", "file,ev"]),
        ("irev completion ", ["plain,bash", "plain,zsh", "plain,fish"]),
        ("irev --per", ["plain,--per-query"]),
        ("irev eval --per", ["plain,--per-query"]),
        ("irev eval --names ", ["plain,trec", "plain,standard"]),
        ("irev eval --ties=av", ["plain,--ties=average"]),
        ("irev --ties=av", ["plain,--ties=average"]),
        ("irev qre", ["file,qre"]),
        ("irev eval qrels.txt ", ["file,"]),
        ("irev no-such-file -q semantic", ["file,semantic"]),
        ("irev validate -f js", ["plain,json", "plain,jsonl"]),
        ("irev eval --qrels-format pre", ["plain,prefs", "plain,prels"]),
        ("irev eval -R pre", ["plain,prefs", "plain,prels"]),
        ("irev eval --run-format=ms", ["plain,--run-format=msmarco"]),
        ("irev compare --test ", [f"plain,{name}" for name in TEST_NAMES]),
        ("irev compare --test t,w", ["plain,t,wilcoxon"]),
        ("irev compare --test w", ["plain,wilcoxon"]),
        ("irev check --min r-p", ["plain,r-precision"]),
        ("irev eval --sort r-p", ["plain,r-precision"]),
        ("irev help interl", ["plain,interleaving"]),
        ("irev help vali", ["plain,validate"]),
    ],
)
def test_commands_options_values_and_files_are_completed(shell, line, expected):
    assert expected == offered(shell, line)


def test_a_comma_in_parentheses_begins_no_measure():
    assert ["nDCG(dcg=exp,gains=1)@10,r-precision"] == [
        name for name, _ in measures_offered("nDCG(dcg=exp,gains=1)@10,r-p")
    ]


def test_the_names_that_trec_eval_has_for_options_stay_out_of_the_way():
    assert "plain,--complete" in offered("bash", "irev --comp")
    assert "plain,--complete_rel_info_wanted" not in offered("bash", "irev --comp")
    assert ["plain,--complete_rel_info_wanted"] == offered("bash", "irev --complete_")


def test_every_name_that_is_offered_is_accepted():
    names = [item.removeprefix("plain,") for item in offered("bash", "irev -m ")]
    assert [] == [n for n in names if in_process("measures", "--explain", f"{n}1" if n[-1] in "@_" else n).status]
    assert set(MEASURES) | set(SETS) <= set(names)


def test_every_name_that_is_offered_stands_there_once():
    names = offered("bash", "irev -m ")
    assert sorted(set(names)) == sorted(names)


def test_completion_imports_nothing_that_it_does_not_need():
    """numpy comes with the measures, so that a name costs a tenth of a second and everything else less."""
    told = {}
    for line in ("irev -", "irev ev", "irev -m nD"):
        code = "from irev.cli import run; run([]); print(*{'numpy', 'rich'} & set(sys.modules), file=sys.stderr)"
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; {code}"],
            env=environment(_IREV_COMPLETE="bash_complete", COMP_WORDS=line),
            capture_output=True,
            text=True,
            timeout=60,
        )
        told[line] = done.stderr.strip()
    assert {"irev -": "", "irev ev": "", "irev -m nD": "numpy"} == told


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_each_shell_is_printed_by_the_command_and_on_request(shell):
    script = printed("completion", shell)
    assert f"_IREV_COMPLETE={shell}_complete" in script
    assert script == as_process(_IREV_COMPLETE=f"{shell}_source").stdout.decode()
    installed = shutil.which(shell)
    if installed:
        checked = subprocess.run([installed, "-n"], input=script, capture_output=True, text=True, timeout=60)
        assert (0, "") == (checked.returncode, checked.stderr)


def test_an_unknown_shell_is_refused():
    assert "invalid value for 'SHELL': 'tcsh' is not one of 'bash', 'zsh', 'fish'" == refusal("completion", "tcsh")


def test_a_question_that_no_shell_asks_ends_with_1_and_no_output():
    assert (1, b"") == as_process(_IREV_COMPLETE="tcsh_complete")[:2]


BASH = IREV + 'eval "$(irev completion bash)"\ncompopt() { OPTIONS="$OPTIONS $2"; }\n'
ASK = """
ask() {
    COMP_LINE=$1 COMP_POINT=${#1} OPTIONS="" COMPREPLY=()
    _irev_completion irev
    printf '%s|' "${COMPREPLY[@]}"
    echo "$OPTIONS"
}
"""


def bash_completes(line: str, folder: Path) -> str:
    """What the sourced script makes of a line in a real bash: replies, and options set."""
    quoted = "'" + line.replace("'", "'\\''") + "'"
    done = subprocess.run(
        ["bash", "-c", f"{BASH}{ASK}ask {quoted}"],
        cwd=folder,
        env=environment(PYTHON=sys.executable),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "" == done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("irev -m nDC", "nDCG|nDCG@|nDCGrel|nDCG-IA@|"),
        ("irev -m nDCG@5", "| default"),
        ("irev -m 'nDC", "nDCG|nDCG@|nDCGrel|nDCG-IA@|"),
        ('irev -m "nDCG-', "nDCG-IA@| nospace"),
        ("irev -m P@5,nDC", "@5,nDCG|@5,nDCG@|@5,nDCGrel|@5,nDCG-IA@|"),
        ("irev -m zeta", "| default"),
        ("irev --ties=av", "average|"),
        ("irev -m R_c", "R_cap@|R_cap_at_|"),
        ("irev -m R_cap_at", "R_cap_at_| nospace"),
        ("irev qr", "| default"),
        ("irev ev", "eval|evidence.run| filenames"),
    ],
)
def test_the_script_replaces_only_what_follows_the_last_word_break_of_bash(line, expected, tmp_path):
    (tmp_path / "evidence.run").touch()
    assert expected == bash_completes(line, tmp_path)


# Pseudo terminals; not on Windows.
if os.name == "posix":
    import pty

    def on_a_terminal(arguments: list[str], columns: int, **changes: str) -> str:
        """What a terminal of so many columns is sent."""
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "irev", *arguments]
        given = environment(COLUMNS=str(columns), TERM="xterm", **changes)
        with Started(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=given) as running:
            os.close(theirs)
            found = all_of_terminal(ours)
        assert 0 == running.returncode
        return found.decode().replace("\r\n", "\n")

    @pytest.mark.parametrize(
        "arguments", [["measures"], ["measures", "nDCG"], ["measures", "--explain", "P", "official"]]
    )
    def test_a_terminal_gets_colours_or_weights_unless_it_asks_for_none(arguments):
        coloured = on_a_terminal(arguments, 80)
        plain = on_a_terminal(arguments, 80, NO_COLOR="1")
        assert COLOURS.search(coloured)
        assert not COLOURS.search(plain)
        assert [] == [line for line in plain.splitlines() if len(line) > 80]

    def test_a_real_bash_completes_what_is_typed(tmp_path):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(tmp_path)
            given = environment(PYTHON=sys.executable, PS1="ready> ", NO_COLOR="1")
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], given)

        def until(text: str) -> str:
            seen, end = "", time.monotonic() + 60
            while text not in seen:
                assert time.monotonic() < end, seen
                if select.select([terminal], [], [], 1)[0]:
                    seen += os.read(terminal, 1 << 16).decode(errors="replace")
            return seen

        until("ready> ")
        os.write(terminal, (IREV + 'eval "$(irev completion bash)"; echo so""urced\n').encode())
        until("sourced")
        os.write(terminal, b"irev meas\t--expl\tP@5,set_suc\t")
        os.write(terminal, b"\n")
        seen = until("SetSuccess")
        os.write(terminal, b"exit\n")
        os.waitpid(pid, 0)
        os.close(terminal)
        assert "set_success  SetSuccess" in seen


class TestCite:
    def test_has_the_works_of_the_measures_named_and_irev_once(self):
        keys = re.findall(r"^@\w+\{(\w+),$", printed("measures", "--cite", "AP", "nDCG@10", "ndcg"), re.MULTILINE)
        assert ["Buckley2005", "Burges2005", "Jarvelin2002", "McSherry2008", "irev"] == keys

    def test_without_a_name_has_those_of_all_measures(self):
        all_of_them = printed("measures", "--cite")
        named = {work.key for measure in MEASURES.values() for _, work in sources(measure) if work is not None}
        assert {*named, "irev"} == {*re.findall(r"^@\w+\{(\w+),$", all_of_them, re.MULTILINE)}
        assert "%" not in all_of_them

    def test_knows_every_source_that_documentation_names(self):
        unknown = {prose for measure in MEASURES.values() for prose, work in sources(measure) if work is None}
        assert set() == unknown, "irev/measures/literature.bib has no entry of these"

    def test_has_the_authors_and_the_year_that_documentation_names(self):
        for measure in MEASURES.values():
            for prose, work in sources(measure):
                assert work is not None
                first = work.fields["author"].partition(" and ")[0].rpartition(" ")[2]
                assert first in prose or " their " in prose, prose
                assert work.fields["year"] in prose, prose

    def test_is_ascii_with_balanced_braces_and_keys_of_their_own(self):
        for work in (*WORKS, literature.IREV):
            entry = work.bibtex()
            assert entry.isascii()
            assert entry.count("{") == entry.count("}")
        assert len(WORKS) == len({work.key for work in WORKS})

    def test_says_which_measures_name_no_source(self):
        assert printed("measures", "--cite", "num_q").startswith("% num_q: its documentation names no source\n")

    @pytest.mark.parametrize("other", ["--json", "--explain"])
    def test_is_refused_beside_what_prints_something_else(self, other):
        refused(in_process("measures", "--cite", other, "AP"), f"--cite prints BibTeX, but {other} something else")


def test_the_citation_file_says_what_the_entry_and_the_project_say():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (__version__, "MIT", literature.IREV.fields["title"]) == (found["version"], found["license"], found["title"])
    assert ["the irev authors"] == [author["name"] for author in found["authors"]]
    assert {"cff-version", "message", "type"} <= found.keys()
