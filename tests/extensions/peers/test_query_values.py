"""Values of single queries from files: what is recognised, that printed values are read back, and what is refused."""

import gzip
import json
import math
import sys

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

import irev
from irev.base.errors import InputError, ProblemError
from irev.base.text import disambiguate
from irev.cli import run as command
from irev.evaluation.record import is_record
from irev.extensions.peers.query_values import Table, read_scores, recognised
from irev.reading.formats import HEAD, JUDGMENTS, RUNS, listed
from irev.reading.sources import Source

QRELS = str(ROOT / "sample_data" / "qrels.txt")
RUNS_OF = {name: str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic")}
MEASURES = ["map", "P_5", "ndcg_cut_10", "num_rel_ret"]

TREC_EVAL = b"""\
num_ret               \tq1\t5
map                   \tq1\t1.0000
relstring             \tq1\t'3100-'
num_ret               \tq2\t5
map                   \tq2\t0.9167
relstring             \tq2\t'32020-'
runid                 \tall\thybrid
num_q                 \tall\t2
num_ret               \tall\t10
map                   \tall\t0.9583
"""
"""As trec_eval 10.0 prints it with -q."""


@pytest.fixture
def scores(write):
    """``scores(content, kind=None)`` gives the tables of a file with this content."""

    def scores(content: bytes, kind: str | None = None, **more: str) -> list[Table]:
        with Source(write(content)) as source:
            return read_scores(source, kind, **more)

    return scores


@pytest.fixture
def refused(scores):
    """``refused(content, kind=None)`` gives the message of the error behind the name of the file."""

    def refused(content: bytes, kind: str | None = None) -> str:
        with pytest.raises(InputError) as caught:
            scores(content, kind)
        code = f"{caught.value.problem.code} " if isinstance(caught.value, ProblemError) else ""
        return code + str(caught.value).partition("file:")[2]

    return refused


class TestRecognition:
    @pytest.mark.parametrize("form", [*listed(JUDGMENTS), *listed(RUNS)], ids=lambda form: form.name)
    def test_no_format_of_judgments_or_runs_is_taken_for_scores(self, form):
        assert recognised(form.example.encode()) is None

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\n\n",
            b"q1 0.5\nq2 0.25\n",
            b"q1\t0.5\nq2\t0.25\n",
            b"q1\t0\td01\t1\n",
            b"q1\td01\t1\n",
            b"1048585\t7187158\t1\n",
            b"0123456789abcdef0123456789abcdef\td01\t1\n" * 3,
            b"query-of-many-characters,2020\td01\t1\n",
            b"q1                      0 d01 1\n",
            b"query\tdocument\tgrade\nq1\td01\t1\n",
            b"query,docno,score\n1,17,12.5\n",
            b"query,text\nq1,compost heap\n",
            b"query_id\tchunk\nq1\t7\n",
            b"qid,relevant_ids\nq1,7\n",
            b"P10\tEP123\t1\nP2\tEP124\t1\n",
            b'{"q1": {"d1": 1}}\n',
            b"query\nq1\n",
            b'query,"map\nq1,0.5\n',
            b'{"query": {"measure": 1, "format": 2}}\n',
            b'{"format": "another result"}',
            b"\x1f\x8b\x08\x00PAR1",
        ],
    )
    def test_neither_is_anything_like_these(self, content):
        assert recognised(content) is None

    @pytest.mark.parametrize(
        "content",
        [
            TREC_EVAL,
            b"\n" + TREC_EVAL,
            b"\xef\xbb\xbf" + TREC_EVAL,
            TREC_EVAL.replace(b"\n", b"\r\n"),
            b"map                   \tall\t0.5\n",
            b"ndcg_cut_10,gains=0=0,1=1\tq1\t0.5\n",
            b"nDCG(gains='0=0,1=1')@10\tq1\t0.5\n",
            b"utility_1.0,-1.0,0.0,0.0\tq1\t0.5\n",
            b"relative_unranked_avg_prec30\tq1\t0.5\nmap                   \tq1\t0.5\n",
        ],
    )
    def test_lines_of_trec_eval_are_known_by_their_labels(self, content):
        assert recognised(content) == "lines"

    @pytest.mark.parametrize(
        "content",
        [
            b"query\tmeasure\tvalue\n",
            b"value,query,run,measure\n0.5,q1,a,map\n",
            b"\xef\xbb\xbfquery,measure,value\r\n",
            b"run\tquery\tmap\tP_5\na\tq1\t0.5\t0.2\n",
            b"query,map,runid\nq1,0.5,\n",
            b"query,map,relstring\nq1,nan,'12-'\n",
            b'run,query,map\n"a,\nb",q1,0.5\n',
            b"query\tvalue\nq1\t-1e-3\n",
        ],
    )
    def test_tables_are_known_by_their_header(self, content):
        assert recognised(content) == "table"

    def test_a_record_is_known_by_its_format_wherever_that_stands(self, irev):
        record = irev("eval", "-q", "-c", "-f", "json", "-m", "AP", QRELS, RUNS_OF["hybrid"]).stdout
        sorted_keys = json.dumps(json.loads(record), sort_keys=True, separators=(",", ":")).encode()

        assert [(True, None)] * 3 == [
            (is_record(made), recognised(made)) for made in (record, sorted_keys, b"\n " + record)
        ]

    @pytest.mark.parametrize("style", ["trec", "tsv", "csv"])
    @pytest.mark.parametrize("wide", [(), ("--wide",)])
    @pytest.mark.parametrize("names", ["trec", "standard"])
    def test_what_irev_prints_is_recognised(self, irev, style, wide, names):
        if wide and style == "trec":
            wide = ("-n",)
        found = irev("eval", "-q", "-c", "-f", style, *wide, "--names", names, QRELS, *RUNS_OF.values()).stdout

        assert ("lines" if style == "trec" else "table") == recognised(found[:HEAD])

    def test_a_line_that_is_cut_off_does_not_matter(self):
        table = b"query,map\nq1,0.5\n"

        assert [None, "table", "table"] == [recognised(table[:end]) for end in (12, 16, 17)]


def expected(run: str, digits: int) -> Table:
    """What the Python interface says about a run of the sample data, to some digits."""
    found = irev.evaluate(QRELS, RUNS_OF[run], MEASURES, complete=True)
    return Table(
        run,
        {
            measure: {query.encode(): round(float(value), digits) for query, value in found.per_query[measure].items()}
            for measure in MEASURES
        },
    )


class TestWhatIrevPrints:
    @pytest.mark.thorough
    @pytest.mark.parametrize("digits", ["4", "12"])
    @pytest.mark.parametrize("some", [("keyword",), ("hybrid", "keyword"), ("semantic", "hybrid", "keyword")])
    @pytest.mark.parametrize(
        "options",
        [
            ("trec",),
            ("trec", "-n"),
            ("tsv",),
            ("csv",),
            ("tsv", "-n"),
            ("tsv", "--wide"),
            ("csv", "--wide"),
            ("csv", "--wide", "-n"),
        ],
        ids=" ".join,
    )
    def test_is_read_back_to_the_last_digit(self, irev, scores, options, some, digits):
        asked = [part for name in ("relstring", "gm_map", "runid", *MEASURES) for part in ("-m", name)]
        runs = [RUNS_OF[run] for run in some]
        printed = irev("eval", "-q", "-c", "--digits", digits, "-f", *options, *asked, QRELS, *runs).stdout
        found = scores(printed)
        if options == ("trec", "-n") and len(some) == 1:  # where nothing tells the name of the run
            found = [found[0]._replace(run=some[0])]

        assert [expected(run, int(digits)) for run in some] == [
            table._replace(measures={measure: table.measures[measure] for measure in MEASURES}) for table in found
        ]
        assert [set(MEASURES)] * len(some) == [set(table.measures) for table in found]

    @pytest.mark.parametrize("options", [("trec",), ("trec", "-n"), ("tsv",), ("csv", "--wide")], ids=" ".join)
    def test_each_set_of_judgments_has_a_table(self, irev, scores, options, write):
        strict = write(b"q1 0 d02 1\nq2 0 d07 1\n", "strict")
        runs = [RUNS_OF["hybrid"], RUNS_OF["keyword"]]
        judged = ["--qrels", f"all={QRELS}", "--qrels", f"strict={strict}"]
        found = scores(irev("eval", "-q", "-c", "-m", "map", "-f", *options, *judged, *runs).stdout)

        assert [(run, qrels) for run in ("hybrid", "keyword") for qrels in ("all", "strict")] == [
            (table.run, table.qrels) for table in found
        ]
        assert [7, 2, 7, 2] == [len(table.measures["map"]) for table in found]
        assert expected("keyword", 4).measures["map"] == found[2].measures["map"]

    @pytest.mark.parametrize("options", [("trec",), ("tsv",), ("csv",), ("tsv", "--wide")], ids=" ".join)
    def test_lines_of_groups_are_left_out(self, irev, scores, options, write):
        groups = write(b"q1\ta\nq2\ta\nq3\tb\n", "groups")
        printed = irev("eval", "-q", "-c", "-m", "map", "--groups", groups, "-f", *options, QRELS, RUNS_OF["hybrid"])

        assert [{"map": expected("hybrid", 4).measures["map"]}] == [table.measures for table in scores(printed.stdout)]

    @pytest.mark.parametrize("options", [("trec",), ("tsv",), ("csv",), ("csv", "--wide")], ids=" ".join)
    @pytest.mark.parametrize("grouped", [False, True])
    def test_queries_called_all_are_queries(self, irev, scores, options, grouped, write):
        queries = [b"all", b'"all"', b'"all', b"all:x", b'"all:x"', b"fall", b'"', b"q\\t", b"\xff", b"a,b", b"'"]
        qrels = write(b"".join(b"%b 0 d1 1\n" % query for query in queries), "qrels")
        run = write(b"".join(b"%b Q0 d1 1 1 r\n" % query for query in queries), "run")
        more = ["--groups", write(b"fall\tx\n", "groups")] if grouped else []
        printed = irev("eval", "-q", "-m", "runid", "-m", "map", *more, "-f", *options, qrels, run).stdout

        assert [Table("r", {"map": dict.fromkeys(sorted(queries), 1.0)})] == [
            table._replace(measures={"map": dict(sorted(table.measures["map"].items()))}) for table in scores(printed)
        ]


class TestTrecEval:
    def test_values_are_those_of_single_queries(self, scores):
        values = {"num_ret": {b"q1": 5.0, b"q2": 5.0}, "map": {b"q1": 1.0, b"q2": 0.9167}}

        assert [Table("hybrid", values)] == scores(TREC_EVAL)

    def test_a_mark_carriage_returns_and_blank_lines_make_no_difference(self, scores):
        odd = b"\xef\xbb\xbf" + TREC_EVAL.replace(b"\n", b"\r\n\r\n")

        assert scores(TREC_EVAL) == scores(odd)

    def test_labels_need_not_be_padded_nor_tabs_be_kept_when_the_kind_is_named(self, scores):
        assert scores(TREC_EVAL) == scores(TREC_EVAL.replace(b" ", b""), "lines")
        assert scores(TREC_EVAL) == scores(TREC_EVAL.replace(b"\t", b" "), "lines")

    def test_outputs_one_after_the_other_are_tables_of_their_own(self, scores):
        other = TREC_EVAL.replace(b"hybrid", b"other").replace(b"0.9167", b"0.5000")
        found = scores(TREC_EVAL + other)

        assert [("hybrid", 0.9167), ("other", 0.5)] == [(table.run, table.measures["map"][b"q2"]) for table in found]

    def test_outputs_without_the_names_of_runs_are_parted_by_their_lines_for_all(self, scores):
        one = b"map                   \tq1\t0.5\nmap                   \tall\t0.5\n"

        assert [Table("", {"map": {b"q1": 0.5}})] * 2 == scores(one * 2)

    def test_a_run_without_queries_is_left_out(self, scores):
        empty = b"runid                 \tall\tempty\nmap                   \tall\t0.0\n"

        assert ["hybrid", "hybrid"] == [table.run for table in scores(empty + TREC_EVAL + empty + TREC_EVAL)]

    def test_what_is_no_finite_number_is_a_value(self, scores):
        lines = (
            b"x                     \ta\t  -nan\nx                     \tb\t   nan\nx                     \tc\t-inf\n"
        )
        values = scores(lines)[0].measures["x"]

        assert [True, True, False] == [math.isnan(value) for value in values.values()]
        assert values[b"c"] == -math.inf

    def test_a_group_that_only_a_query_looks_like_is_that_query(self, scores):
        lines = b"map                   \tall:x\t0.5\nmap                   \tall\t0.5\n"

        assert [Table("", {"map": {b"all:x": 0.5}})] == scores(lines)


class TestTables:
    def test_columns_stand_in_any_order_and_others_are_ignored(self, scores):
        table = b"fold,value,measure,query,run\n1,0.5,map,q1,a\n1,0.25,map,q1,b\n"

        assert [Table("a", {"map": {b"q1": 0.5}}), Table("b", {"map": {b"q1": 0.25}})] == scores(table)

    def test_rows_of_runs_may_stand_among_each_other(self, scores):
        table = b"run\tquery\tmap\na\tq1\t0.5\nb\tq1\t0.25\na\tq2\t1\nb\tq2\t0\n"

        assert [
            Table("a", {"map": {b"q1": 0.5, b"q2": 1.0}}),
            Table("b", {"map": {b"q1": 0.25, b"q2": 0.0}}),
        ] == scores(table)

    def test_escapes_of_tsv_are_undone_and_no_others(self, scores):
        table = b"run\tquery\tmeasure\tvalue\n" + rb"a\tb\\\n" + b"\t" + rb"q\x\r" + b"\tmap\t1\n"

        assert [Table("a\tb\\\n", {"map": {rb"q\x" + b"\r": 1.0}})] == scores(table)

    def test_quotation_marks_of_csv_are_undone_and_lines_still_counted(self, scores, refused):
        table = b'run,query,measure,value\n"a,""b\n",q1,map,1\n'

        assert [Table('a,"b\n', {"map": {b"q1": 1.0}})] == scores(table)
        assert refused(table + b"a,q2,map,x\n").startswith("E105 4: ")

    def test_quotation_marks_of_tsv_are_bytes_of_the_id(self, scores):
        assert [Table("", {"map": {b'"q"': 1.0}})] == scores(b'query\tmap\n"q"\t1\n')

    def test_names_that_are_not_utf8_are_kept(self, scores):
        assert [Table("\udcff", {"\udcfe": {b"\xfd": 1.0}})] == scores(b"run,query,measure,value\n\xff,\xfd,\xfe,1\n")

    def test_a_measure_without_values_for_queries_is_left_out(self, scores):
        assert [Table("", {"map": {b"q1": 0.5}})] == scores(b"query,gm_map,map\nq1,,0.5\nall,0.5,0.5\n")

    def test_two_columns_with_a_header_are_a_table(self, scores):
        assert [Table("", {"value": {b"q1": 0.5}})] == scores(b"query value\nq1 0.5\n".replace(b" ", b"\t"))


class TestTwoColumns:
    @pytest.mark.parametrize(
        "content", [b"q1 0.5\nq2\t1e-3\n", b"  q1   0.5  \r\n\r\nq2 .001", b"all 0.3\nq1 .5\nq2 .001\n"]
    )
    def test_are_a_query_and_its_value(self, scores, content):
        values = {b"q1": 0.5, b"q2": 0.001}

        assert [Table("", {"value": values})] == scores(content)
        assert [Table("", {"AP": values})] == scores(content, "pairs", measure="AP")

    def test_are_read_so_whatever_they_look_like_when_the_kind_is_named(self, scores):
        assert [Table("", {"value": {b"{": 1.0}})] == scores(b"{ 1\n", "pairs")


class TestInput:
    @pytest.mark.parametrize("content", [TREC_EVAL, b"query,map\nq1,1\n", b"q1 1\n"])
    def test_compressed_files_are_read(self, scores, content):
        assert scores(content) == scores(gzip.compress(content))

    def test_standard_input_is_looked_at_first_and_then_read(self, monkeypatch, write):
        with open(write(TREC_EVAL)) as monkey, monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", monkey)
            with Source("-") as source:
                found = recognised(source.head(HEAD)), read_scores(source)

        assert found[0] == "lines"
        assert [b"q1", b"q2"] == list(found[1][0].measures["map"])


L = b"map                   \t"


class TestErrors:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (L + b"q1\n", "E101 1: found 'map                   \\tq1'; expected a label, a query and a value"),
            (L + b"q1\t0.5\n" + L + b"q2\tx\n", "E105 2: the value 'x' is not a number; expected a decimal number"),
            (L + b"q1\t1_0\n", "E105 1: the value '1_0' is not a number; expected a decimal number"),
            (L + b"q1\t'\n", "E105 1: the value ''' is not a number; expected a decimal number"),
            (L + b"q1\t\n", "E113 1: the value of 'map' is empty; expected a decimal number"),
            (L + b"\t0.5\n", "E110 1: the query id is empty; expected an id"),
            (
                L + b"q1\t0.5\n" + L + b"q1\t0.5\n",
                "E107 2: query 'q1' has two values of 'map' (first on line 1); keep one of the two",
            ),
            (
                L + b"q1\t0.5\nmap\tq1\t0.5\n",
                "E107 2: query 'q1' has two values of 'map' (first on line 1); keep one of the two",
            ),
            (L + b"q1\t0.5\n \tq2\t1\n", "E110 2: the name of the measure is empty; name it"),
            (L + b"q\0\t0.5\n", "E104 1: this line contains a NUL byte; expected text"),
        ],
    )
    def test_in_lines_of_trec_eval(self, refused, content, message):
        assert message == refused(content, "lines")

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"query,map\nq1\n", "E101 2: 1 field in a record; expected 2, as the header has"),
            (b"query\tmap\nq1\t1\n\nq2\t1\t2\n", "E101 4: 3 fields in a record; expected 2, as the header has"),
            (b"query,map\nq1,half\n", "E105 2: the value 'half' is not a number; expected a decimal number"),
            (b"query,measure,value\nq1,map,\n", "E113 2: the value of 'map' is empty; expected a decimal number"),
            (b"query,map\nq1,1\nq2,\n", "E113 3: the value of 'map' is empty; expected a decimal number"),
            (b"query,map\n,1\n", "E110 2: the query id is empty; expected an id"),
            (b"query,measure,value\nq1,,1\n", "E110 2: the name of the measure is empty; name it"),
            (
                b"query\tmap\nq1\t1\nq1\t1\n",
                "E107 3: query 'q1' has two values of 'map' (first on line 2); keep one of the two",
            ),
            (
                b'query,map\n"q1,1\n',
                "E111 2: the record cannot be read (unexpected end of data);"
                " is a quotation mark missing or not doubled?",
            ),
        ],
    )
    def test_in_rows_of_tables(self, refused, content, message):
        assert message == refused(content, "table")

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"q1 0.5 7\n", "E101 1: found 'q1 0.5 7'; expected a query and its value"),
            (b"q1 0.5\nq2\n", "E101 2: found 'q2'; expected a query and its value"),
            (b"q1 high\n", "E105 1: the value 'high' is not a number; expected a decimal number"),
            (b"q1 1\nq1 1\n", "E107 2: query 'q1' has two values of 'value' (first on line 1); keep one of the two"),
            (
                b"\xef\xbb\xbfq1 1\n",
                "E109 1: the file begins with a byte order mark, which would be part of the first query id;"
                " write it as UTF-8 without one",
            ),
        ],
    )
    def test_in_two_columns(self, refused, content, message):
        assert message == refused(content)

    def test_below_a_header_whatever_the_first_row_holds(self, refused):
        message = "E105 2: the value 'x' is not a number; expected a decimal number"
        for content in (b"query,a,b\nq1,x,0.4\nq2,0.5,0.3\n", b"query\ta\r\nq1\tx\r\n"):
            assert message == refused(content)
        assert "E105 2: the value 'x' is not a number; expected a decimal number" == refused(b"query\t0.5\nq1\tx\n")

    @pytest.mark.parametrize(
        ("content", "kind", "message"),
        [
            (b"", None, "the file is empty; expected values of single queries"),
            (b" \r\n\n", "table", "the file is empty; expected values of single queries"),
            (
                L + b"all\t0.5\n",
                "lines",
                "there are no values of single queries; save it again with `trec_eval -q` or `irev eval -q`",
            ),
            (
                L + b"q1\t'1'\n",
                "lines",
                "there are no values of single queries; save it again with `trec_eval -q` or `irev eval -q`",
            ),
            (b"query,map\n", "table", "there are no values of single queries; expected a line for each query"),
            (b"all 0.5\n", "pairs", "there are no values of single queries; expected a line for each query"),
            (
                b"of,map\nq1,1\n",
                "table",
                "found no query column (query, query_id, qid …);"
                " expected a header with query, measure and value, or with query and a column for each measure",
            ),
            (
                b"query,measure\nq1,map\n",
                "table",
                "there is no column 'value';"
                " expected a header with query, measure and value, or with query and a column for each measure",
            ),
            (
                b"query,run\nq1,a\n",
                "table",
                "there is no column of values;"
                " expected a header with query, measure and value, or with query and a column for each measure",
            ),
            (b"query,map,map\nq1,1,1\n", "table", "there are 2 columns 'map'; rename one of them"),
        ],
    )
    def test_in_whole_files(self, write, content, kind, message):
        path = write(content)
        with Source(path) as source, pytest.raises(InputError) as caught:
            read_scores(source, kind)

        assert f"{path}: {message}" == str(caught.value)

    @pytest.mark.parametrize("kind", ["lines", "table", "pairs"])
    def test_a_line_without_end_is_named(self, refused, kind):
        message = refused(b"q1 1\n" + b"x" * (5 << 20), kind)

        assert (
            message
            == "E108 2: the line is longer than 4 MiB; expected lines of text; what follows it may not have been read"
        )


SEPARATING = b"\0\t\n\v\f\r "


def without_separators(text: bytes) -> bytes:
    """An id as files of TREC can have it; one that begins with # would be a comment."""
    return bytes(byte for byte in text if byte not in SEPARATING).lstrip(b"#") or b"q"


odd = [b"all", b'"all"', b'"all', b"all:x", b'""all""', b'"', b"\\n", b"\\", b"'", b","]
ids = st.one_of(st.sampled_from(odd), st.binary(max_size=6).map(without_separators))


class TestRoundTrips:
    @pytest.mark.thorough
    @settings(max_examples=30)
    @given(ranks=st.dictionaries(ids, st.integers(1, 9), min_size=1, max_size=8))
    def test_whatever_ids_hold_they_come_back(self, tmp_path_factory, ranks):
        ranks = {b"0": 1, **ranks}  # first, so that the files do not begin as compressed ones do
        folder = tmp_path_factory.mktemp("round", numbered=True)
        qrels, run = folder / "qrels", folder / "run"
        qrels.write_bytes(b"".join(b"%b 0 d 1\n" % query for query in ranks))
        run.write_bytes(
            b"".join(
                b"%b Q0 %b 0 %d tag\n" % (query, b"d" if place == rank else b"x%d" % place, -place)
                for query, rank in ranks.items()
                for place in range(1, rank + 1)
            )
        )
        expected = {query: float(f"{1 / rank:.4f}") for query, rank in ranks.items()}
        for options in (["trec"], ["tsv"], ["csv"], ["tsv", "--wide"], ["csv", "--wide"]):
            path = folder / "scores"
            assert 0 == command(
                ["eval", "-q", "-m", "runid", "-m", "recip_rank", "-f", *options, "-o", str(path), str(qrels), str(run)]
            )
            with Source(str(path)) as source:
                assert [Table("tag", {"recip_rank": expected})] == read_scores(source), options

    @given(found=st.dictionaries(ids, st.floats(), min_size=1))
    def test_two_columns_come_back_with_every_digit(self, tmp_path_factory, found):
        found = {b"0": 1.0, **found}
        path = tmp_path_factory.mktemp("round", numbered=True) / "scores"
        path.write_bytes(
            b"".join(b"%b %b\n" % (disambiguate(query), repr(value).encode()) for query, value in found.items())
        )
        with Source(str(path)) as source:
            (table,) = read_scores(source, "pairs")

        assert {query: repr(value) for query, value in found.items()} == {
            query: repr(value) for query, value in table.measures["value"].items()
        }
