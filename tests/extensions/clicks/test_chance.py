"""Chance that a seed and names decide: the same numbers everywhere, and as likely as they should be."""

from collections import Counter
from hashlib import blake2b

from irev.extensions.clicks.chance import SeededChance


def test_numbers_are_what_hashes_of_seed_and_names_say():
    """Written out once more, since a file that somebody has drawn must be drawn again by any later version."""
    key = blake2b(b"7 1:q 2:42").digest()
    found = [
        int.from_bytes(blake2b(b"%d" % number, key=key).digest()[8 * piece : 8 * piece + 8], "little") >> 11
        for number in range(2)
        for piece in range(8)
    ]
    chance = SeededChance(7, b"q", b"42")

    assert [number / 2**53 for number in found] == [chance.uniform() for _ in found]


def test_names_are_taken_apart():
    firsts = {SeededChance(0, *names).uniform() for names in ((b"ab", b"c"), (b"a", b"bc"), (b"abc",), (b"abc", b""))}

    assert 4 == len(firsts)


def test_choices_are_as_likely_as_their_weights():
    chance = SeededChance(1)
    found = Counter(chance.choose((3.0, 0.5, 1.5)) for _ in range(10_000))

    assert [True] * 3 == [abs(found[place] / 10_000 - share) < 0.02 for place, share in enumerate((0.6, 0.1, 0.3))]


def test_what_rounding_leaves_is_the_last_choice():
    class Highest(SeededChance):
        def uniform(self) -> float:
            return 1.0

    assert 9 == Highest(0).choose((0.1,) * 10)
