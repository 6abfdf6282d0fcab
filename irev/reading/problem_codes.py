"""The codes of problems, as one text below, from which the documentation of errors is generated.

``E1xx`` are faults of a file that every command refuses, ``E3xx`` breaches of a track's rules, ``W2xx`` what is legal
and usually a mistake. A code keeps its meaning for ever.
"""

from __future__ import annotations

import re
from typing import Literal

from irev.base.records import dataclass
from irev.base.registry import Registry


@dataclass(frozen=True)
class Code:
    """A kind of problem.

    Attributes
    ----------
    title : str
        What it is, in a few words.
    example : str
        A line or a state that has it, in Markdown.
    cause, remedy : str
        Where it usually comes from, and what to do, in Markdown.
    """

    title: str
    example: str
    cause: str
    remedy: str


CODES: Registry[Code] = Registry("code")


def severity(code: str) -> Literal["error", "warning"]:
    """Whether a code is an error or a warning."""
    return "warning" if code.startswith("W") else "error"


_TEXT = r"""
E100 unusable file
a file that is not there, is empty, or is an archive cut short
The name is misspelt, or a job that was to write the file failed.
Do what the message says. The exit status is 2.

E101 wrong number of fields
`q1 Q0 d01 1 12.5`
A line was cut, a field is missing, an id holds a blank, or the file is of another format.
Write all the fields of the format; name the format with `--qrels-format` or `--run-format`.

E102 unusable grade
`q1 0 d01 x`
The fields stand in another order, or the grade is a word. trec_eval would read it as 0.
Write a decimal number.

E103 duplicate document
`q1 Q0 d01 1 12.5 a`, and again `q1 Q0 d01 7 9.1 a`
Two runs were put together, passages were mapped to their documents, or a search was repeated.
Keep one of the lines, or choose: in runs `--duplicates first` or `best`, in judgments `same` or `max`.

E104 NUL byte
`q1 Q0 d\0 1 12.5 a`, where `\0` is the byte 0
The file is binary, or damaged, or text in UTF-16, which the message then says.
Write it again as text in UTF-8.

E105 unusable score or rank
`q1 Q0 d01 1 nan a`
A computation failed (nan), or the fields stand in another order. trec_eval would read a word as 0.
Write a decimal number; find out where a nan came from.

E106 negative grade
`q1 0 d01 -1`
The judgments mark documents that are in the pool and not judged, and `--negative error` refuses them.
Say what they mean: `--negative unjudged` or `nonrelevant`.

E107 id listed twice
q1, and again q1
A list of queries was put together.
Keep one of the lines.

E108 line too long
a line of more than 4 MiB
The file is binary, or its newlines were lost. It is not read further than the line.
Write it again as lines of text.

E109 byte order mark
the bytes EF BB BF before the first query id
A program on Windows wrote the file. Left in place, the mark would make another query of the first one. Before CSV,
  TSV and JSON it means nothing and is skipped.
Write the file as UTF-8 without a byte order mark.

E110 unusable id
`{"query_id": "q1", "doc_id": "bricks ", "score": 2}`
An id from CSV, TSV, JSON or Parquet is empty, null or no string, begins or ends with a blank, which nobody would see,
  or holds a tab, a newline or another control character.
Replace such characters, in the judgments and the run alike.

E111 unreadable record
`{"query_id": "q1", "doc_id": "d01", "score": NaN}`
This is not JSON (NaN and Infinity are not, nor is what is not UTF-8, or was cut), or a quotation mark in CSV is
  missing.
Write the file with a library for its format.

E112 repeated key
`{"q1": {"d01": 1, "d01": 0}}`
Two files were put together by hand. Most readers take the last value and say nothing.
Keep one of the two.

E113 value missing or of another type
`{"query_id": "q1", "doc_id": "d01", "score": "high"}`
A field is missing, empty or null, or a number stands in quotation marks.
Write a number, or name the right field with `--columns`.

E114 unusable probability
`1.5` in the place of an inclusion probability
The fields stand in another order. A document that was judged had a chance above 0 to be.
Write a number above 0 and at most 1.

E115 unknown nugget
an assignment of a nugget that the judgments do not have
Nuggets were made again after answers were looked at, or their texts were changed on the way.
Name the nuggets that the assignments were made of.

E116 relevant to no subtopic
`q1 0 d01 1` among judgments of subtopics
Versions up to 0.1 refused it. Subtopic 0 is now a subtopic like all others, as for ndeval: the TREC Web tracks of
  2013 and 2014 have it.
Use a later version.

E117 topic without subtopics
`q1 0 d01 0`, and no other line of q1
Versions up to 0.1 refused it. Now the query has no relevant document, and scores 0.
Use a later version.

E118 preferences that contradict each other
`d1` above `d2` in one subgroup of a group, and `d2` above `d1` in another; the pairs `q1 d1 d2` and `q1 d2 d1`
A group, or a file of pairs, holds what several people prefer, or one has changed their mind.
Leave out one of the preferences that the message names, or make groups of their own, of pairs with `--qrels-format
  prefs`.

E120 no query in common
judgments of q1 to q50, results for 1 to 50
The files belong to different test collections, or query ids were changed in one of them.
Compare the first lines of both files.

E130 lost in conversion
the query `red bricks`, to be written in TREC's format
What another format cannot hold is refused, since `irev convert` loses nothing. A query stands in two files that are
  to be put together, a line has more fields than its format, or a number more digits than a double.
Choose another format with `--to`, or change what the message names.

E140 unknown event
`{"event": "scroll", "impression": "i1"}`
The log holds more than impressions, clicks and conversions.
Leave other events out before; `--on-error drop` leaves out the impressions that they name with them.

E141 event without an impression
a click on an impression that the log has not, or has further down
The log was cut, or put together in another order.
Put impressions before what was done there.

E142 position outside the list
position 0, or 11 of 10 documents
Positions are counted from 0, or over several pages.
Count from 1, within the list of the impression.

E143 lists of other lengths
3 teams for 10 documents
A list was cut after it was made.
Cut all lists of an impression alike.

E144 impression twice
two impressions i1
A file was read in twice, or an id stands for more than one impression.
Keep one, or give each an id of its own.

E145 user in several buckets
an impression of u1 in bucket old, and one in new
Buckets are drawn for impressions, or a user changed the device.
Draw them for users. What such users do cannot be attributed to a bucket.

E146 time runs backwards
a click before its impression
Clocks of several machines differ, or a zone is missing.
Take times from one clock.

E147 no probability
a propensity of 0, or of 1.2
A weight stands where a probability is expected; what is never looked at is never clicked.
Write probabilities: propensities above 0, shares from 0.

E148 document not shown there
a click on d9 at position 2, where d2 was shown
Positions are counted otherwise in clicks, or lists were changed on the way to users.
Log what was shown.

E149 impressions of several kinds
an interleaved impression in a log of buckets
Logs of several experiments were put together.
Keep them apart.

E150 user or bucket of another impression
a click of u2 on an impression of u1
Several impressions have the same id, or clicks identify users in another way than impressions do.
Name the impression that was clicked, or the same user and bucket.

E160 grade above the stated maximum
`q1 0 d01 3`, and `-m 'SDCG(max_rel=1)@10'`
The measure was told that there is no such grade: `max_rel` of user models, or `gmax` of ERR, is that of other
  judgments.
State the highest grade there is, or `auto`; with `clip=true` user models move higher grades to it.

E161 document in two strata
`q1 0 d01 1 2`, and `q1 0 d01 3 2`
Samples were put together whose strata overlap.
Keep one of the lines: a document is drawn from one stratum.

E162 unknown method
`q1 d01 1 3 0.5` among judgments with inclusion probabilities
The fields stand in another order, or methods are numbered otherwise.
Write 1 for a document that was drawn, 0 for one that was picked, and 2 for both; 4 is drawn, too.

E163 element type without a cost
`q1 image d01 1 12.5 a`, and no line for `image` in the file of `--costs`
The run is of a page with more types than costs were stated for, or its second column has no types. cwl-eval would
  take such a result for one that costs 1.
Add a line for the type to the file.

E164 unusable cost
`ad 0`, or `ad cheap`
The fields stand in another order, or something is for free. Nothing is that has to be looked at.
Write a number above 0.

E165 unusable weight
`q1 -1`, or `q1 often`
The fields stand in another order, or a share that was subtracted fell below 0.
Write a number of 0 or more.

E301 missing topic
a query of `--topics` without results
The run failed on it, or was made for other queries than those of `--topics`.
Submit results for every query.

E302 extra topic
results for a query that `--topics` does not list, or judgments of one
The run, or the judgments, were made for other queries than those of `--topics`, or for training queries too.
Leave them out.

E303 too many results
1001 results under `--max-depth 1000`
The run was not cut.
Keep the best of each query.

E304 unknown document
an id that `--docids` does not list
The run, or the judgments, were made over another version of the collection, or the ids were changed.
Submit documents of the collection only, and judge no others.

E305 wrong run id
the tag `x` under `--tag '[a-z]+-[0-9]+'`
The run was not renamed.
Name it as the track asks.

E306 not sorted
a score above that of the line before, under `--sorted`
The rows were not sorted, or sorted by something else.
Sort each query by falling score.

W201 scores and ranks disagree
rank 1 with score 2.0, rank 2 with score 3.0
Scores are distances, or ranks were not made again after scores were changed. The ranks of tables
  and of records in JSON are those in a column or field `rank`.
Evaluation goes by scores: check which of the two is meant, and use `--order rank` for the ranks.

W202 all scores equal
every result of a query has score 1
The run has ranks only, or a failed model.
Write scores that fall with the rank, or use `--order rank`.

W203 mixed run ids
tags a and b in one file
Two runs were put together.
Keep runs in files of their own.

W204 fewer results for some queries
12 results where most queries have 1000
A search ended early, or few documents match.
Make sure that nothing was lost.

W205 judged queries missing
a judged query without results
The run failed on it, or was made for other queries.
Average over all judged queries with `-c`, or find the missing results.

W206 fields look shifted
`q1 Q0 d 01 1 12.5 a`
A document id holds a blank, so that what follows is read from the wrong column.
Replace blanks in ids.

W207 id differs in letter case
D01 where d01 is judged; also 7 where 007 is, an accent as a sign of its own, or an id cut to 20 letters
Ids were changed on the way: by a program that reads them as numbers, or by another encoding.
Keep ids as the collection has them.

W213 id differs by a blank
d01 with a no-break space or a zero-width space where d01 is judged
The ids were copied from a page or a spreadsheet.
Remove the blanks that cannot be seen.

W214 document id not found in an id
`--document-of '^[^#]+#'` and a result `d01`
The expression does not match every id, so that chunks of a document count as documents.
Let it find a part of every id, or add the missing part to the ids.

W208 no judged document
a run that shares no document with the pool
Judgments and run belong to different collections, or ids were changed.
Compare the ids of both files.

W209 not UTF-8
an id in Latin-1
The file was written in another encoding.
Write it in UTF-8.

W210 unreadable rank
`q1 Q0 d01 first 12.5 a`
The fields are shifted, or ranks were left out.
Write ranks.

W211 byte order mark skipped
the bytes EF BB BF before the header of a CSV file
A program saved the file as UTF-8 with a signature.
Save it as UTF-8 without one: other tools take it for a part of what follows.

W212 queries without judgments
results for a query that the qrels lack
The run was made for more queries than were judged.
None is needed: they are left out.

W221 queries without relevant documents
a query whose grades are all 0
Nothing relevant was found, or `--level` is high.
Know that such queries score 0 in nearly every measure.

W222 no grade reaches the level
grades 0 to 0.9 under level 1
Grades are fractions, or on another scale.
Lower the level, `-l`; `--gains` says what grades are worth.

W223 second fields differ
`q1 1 d01 1` and `q1 2 d02 1`
The judgments are of subtopics or of groups, or the lines are no judgments: a user, an item, a rating and a time.
  Where some have a fraction they are taken for rounds of judging, as TREC-COVID numbers them.
Name the format of judgments of subtopics, `--qrels-format subtopics`, or write those of each group to a file of their
  own (`--qrels NAME=FILE`).

W224 grade above 1000
`196 242 3 881250949`, a user, an item, a rating and a time
Another column is read as the grade.
Write lines `query 0 document grade`, or name the columns of a file with a header.

W225 most grades have fractions
`{"q1": {"d01": 12.5, "d02": 11.25}}`
A run is read as judgments: some formats write both alike. Fractions from 0 to 1 alone are taken for grades.
Name the judgments first. Where grades are fractions indeed, none is needed.

W226 grades below the level
grades 0.3, 0.7 and 1 under level 1
Grades are fractions, as those of language models often are. Documents with a grade between 0 and the level gain in
  nDCG, and are not relevant in AP, RR or P. A tenth of the grades above 0 is needed for the warning.
Say with `-l` from which grade on documents are relevant, or with `--gains` what grades are worth.

W227 every judged document is relevant
grades 1, 2 and 3 and none of 0
The scale begins at 1, which may stand for what is not relevant. Every document with a grade of 1 or more counts as
  relevant in AP, RR or P. Grades that are all 1, or 1 and 2, are not warned of, nor is the format of lists.
Say with `-l 2` that documents are relevant from grade 2 on, and with `--gains 1=0,2=1,3=2` what grades are worth.

W228 blanks in ids
`q1<tab>Q0<tab>blue sky.pdf<tab>1<tab>9.5<tab>t`; `blue sky.pdf` in a cell of a column of lists
The lines have the fields of their format between tabs, so blanks are part of ids. trec_eval would split such ids.
  A cell with a list is split at its blanks.
Replace the blanks if other tools read the files; in cells write lists as JSON: `["blue sky.pdf"]`.

W229 invisible character
an id or a run id with a zero-width space, a mark that turns the direction of writing, or a control character
The name was copied from a page, or made to look like another one.
Remove the character.

W230 run id of another run
two files whose lines end in `bm25`
A run was copied, and its id was not changed.
Give each run an id of its own.

W231 same results as another run
two files with the same documents in the same order for every query
A run was submitted twice, or a system ran twice with the same settings.
Keep one of them.

W232 infinite score
`q1 Q0 d01 1 inf a`
A division by 0, or a mark for documents that come first. Ties of infinite scores are ordered by document id.
Write finite scores.

W233 run id of several words
`q1 Q0 d01 1 12.5 our best run`
A name with blanks was written as the run id. Numbers do not depend on it; runid, and the name of the run in tables, is
  the first word, as trec_eval has it.
Write the run id as one word, or name the run: `NAME=FILE`.
"""
"""A paragraph for each code: the code with its title, an example, the cause, and the remedy, a line for each.

A line that begins with blanks continues the line before it. Examples, causes and remedies are Markdown.
"""

for _paragraph in re.sub(r"\n +", " ", _TEXT.strip()).split("\n\n"):
    _head, *_said = _paragraph.split("\n")
    _code, _title = _head.split(" ", 1)
    CODES.add(_code, Code(_title, *_said))
