"""Small tables: CSV, tabs and JSON lines say the same, and what is wrong is said with its line."""

import numpy as np
import pytest

from irev.base.errors import InputError, IrevError
from irev.reading.small_tables import read_small_table
from irev.reading.sources import Source

SAME = {
    "csv": b'name,AP,"online, later"\none,0.1,-2e-3\n"two ""x""",.5,+3\n',
    "semicolons": b'name;AP;online, later\none;0.1;-2e-3\n"two ""x""";.5;+3\n',
    "semicolons and quotes": b'"name";"AP";"online, later"\none;0.1;-2e-3\n"two ""x""";.5;+3\n',
    "crlf": b'\xef\xbb\xbfname,AP,"online, later"\r\none,0.1,-2e-3\r\n\r\n"two ""x""",.5,+3',
    "tsv": b'name\tAP\tonline, later\none\t0.1\t-2e-3\ntwo "x"\t.5\t+3\n',
    "jsonl": b'{"name": "one", "AP": 0.1, "online, later": -2e-3}\n\n'
    b'{"online, later": "+3", "AP": ".5", "name": "two \\"x\\""}\n',
}


def read(tmp_path, content):
    path = tmp_path / "table"
    path.write_bytes(content)
    with Source(str(path)) as source:
        return read_small_table(source, "expected a table")


@pytest.mark.parametrize("kind", SAME)
def test_every_kind_of_table_says_the_same(tmp_path, kind):
    table = read(tmp_path, SAME[kind])
    assert ("name", "AP", "online, later") == table.columns
    assert ("one", 'two "x"') == table.ids("name")
    np.testing.assert_array_equal([0.1, 0.5], table.numbers("AP"))
    np.testing.assert_array_equal([-2e-3, 3], table.numbers("online, later"))


def test_a_semicolon_may_stand_in_a_name(tmp_path):
    assert ("name", "a;b", "c;d;e") == read(tmp_path, b'name,a;b,"c;d;e"\nx,1,2\n').columns


def test_names_are_bytes_from_strangers(tmp_path):
    assert ("a\udcff",) == read(tmp_path, b"name\na\xff\n").ids("name")
    table = read(tmp_path, b'{"\\ud800": "\\ud800"}\n')
    assert all(text.encode("utf-8", "surrogateescape") for text in (*table.columns, *table.ids(table.columns[0])))


WRONG = {
    b"": "table: the file is empty; expected a table",
    b"\n \n": "table: the file is empty; expected a table",
    b"name,AP\n": "table: there are no rows; expected a table",
    b"name;AP\nx;1;2\n": "table:2: 3 fields in a record; expected 2, as the header has",
    b"name,AP\nx,1,2\n": "table:2: 3 fields in a record; expected 2, as the header has",
    b"name,AP\nx,1\ny\n": "table:3: 1 field in a record; expected 2",
    b"name,name\nx,1\n": "table: there are 2 columns 'name'; rename one of them",
    b"name,\nx,1\n": "table: column 2 has no name; name it",
    b'name\n"x\n': "table:2: the record cannot be read",
    b"name\nx\0\n": "table:2: this line contains a NUL byte",
    b'{"name": "x"\n': "table:1: this is not JSON",
    b'{"name": "x"}\n{"name": NaN}\n': "table:2: 'name' is NaN; expected a text or a number",
    b'{"name": "x"} 3\n': "table:1: this is not JSON: data follow the object",
    b'{"name": "x"}\n[1]\n': "table:2: the record is an array; expected an object",
    b'{"name": "x", "name": "y"}\n': "table:1: the key 'name' occurs twice",
    b'{"name": true}\n': "table:1: 'name' is true; expected a text or a number",
    b'{"name": {"x": 1}}\n': "table:1: 'name' is an object; expected",
    b'{"name": "\xff"}\n': "table:1: this is not JSON: it is not UTF-8",
}


@pytest.mark.parametrize("content", WRONG)
def test_what_is_no_table_is_refused_with_its_line(tmp_path, content):
    with pytest.raises(InputError) as refused:
        read(tmp_path, content)
    assert str(tmp_path / WRONG[content]) in str(refused.value)


@pytest.mark.parametrize(
    ("content", "says"),
    {
        b"name,AP\nx,nan\n": "table:2: the value 'nan' of 'AP' is not a finite number; expected a decimal number",
        b"name,AP\nx,1e999\n": "table:2: the value '1e999' of 'AP' is not a finite number",
        b"name;AP\nx;0,5\n": "table:2: the value '0,5' of 'AP' is not a finite number; expected a decimal number",
        b"name,AP\nx,1_0\n": "table:2: the value '1_0' of 'AP' is not a finite number",
        b"name,AP\nx,1\ny,\n": "table:3: the value of 'AP' is empty; expected a decimal number; leave out the row if"
        " there is none",
        b'{"name": "x", "AP": null}\n': "table:1: the value of 'AP' is empty",
        b'{"name": "x", "AP": 1}\n{"name": "y"}\n': "table:2: the value of 'AP' is empty",
    }.items(),
)
def test_what_is_no_number_is_refused_with_its_line(tmp_path, content, says):
    with pytest.raises(IrevError) as refused:
        read(tmp_path, content).numbers("AP")
    assert str(tmp_path / says) in str(refused.value)


@pytest.mark.parametrize(
    ("content", "says"),
    {
        b"name,AP\nx,1\ny,2\nx,3\n": "table:4: name 'x' occurs twice (first on line 2); keep one of the two rows",
        b"name,AP\n,1\n": "table:2: the name is empty; expected one",
    }.items(),
)
def test_rows_that_cannot_be_told_apart_are_refused(tmp_path, content, says):
    with pytest.raises(IrevError) as refused:
        read(tmp_path, content).ids("name")
    assert str(tmp_path / says) in str(refused.value)
