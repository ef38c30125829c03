"""Letters that only one table can open, about one thing, of one size."""

from __future__ import annotations

import pytest

from companion.lan import boxes
from companion.lan.boxes import BoxUnreadable
from companion.lan.lengths import (
    TURN_NS,
    LetterLate,
    about,
    check_turn,
    letter,
    read_letter,
    read_told,
    told_letter,
    turn,
)
from companion.session.seal import Secret

PRIVATE = boxes.fresh_key()
PUBLIC = boxes.public_of(PRIVATE)
RUN = b"run"
TURN = turn(7 * TURN_NS, RUN)
SECRET = Secret(113, "0123456789abcdef" * 2)


def test_letter_reaches_its_reader() -> None:
    """What the hub sealed is what the table reads."""
    box = letter(SECRET, table="7", game="r1", phase="final", public=PUBLIC, turn=TURN)

    assert SECRET == read_letter(box, table="7", game="r1", phase="final", seal=SECRET.seal, private=PRIVATE)


def test_letters_tell_nothing() -> None:
    """The same length twice gives two letters, and all lengths give letters of one size."""
    twice = {letter(SECRET, table="7", game="r1", phase="final", public=PUBLIC, turn=TURN) for _ in range(2)}
    sizes = {
        len(letter(Secret(minutes, SECRET.salt), table="7", game="r1", phase="final", public=PUBLIC, turn=TURN))
        for minutes in (90, 113, 150)
    }

    assert (2, 1) == (len(twice), len(sizes))


@pytest.mark.parametrize("at", [0, 40, 70, -1])
def test_changed_letter_does_not_open(at: int) -> None:
    """One bit is enough, wherever it is."""
    box = bytearray.fromhex(letter(SECRET, table="7", game="r1", phase="final", public=PUBLIC, turn=TURN))
    box[at] ^= 1
    with pytest.raises(BoxUnreadable) as refusal:
        read_letter(box.hex(), table="7", game="r1", phase="final", seal=SECRET.seal, private=PRIVATE)

    assert "box-unreadable" == refusal.value.code


@pytest.mark.parametrize(
    ("table", "game", "phase", "seal"),
    [
        ("8", "r1", "final", SECRET.seal), ("7", "r2", "final", SECRET.seal), ("7", "r1", "second_phase", SECRET.seal),
        ("7", "r1", "final", "0" * 64),
    ],
)  # fmt: skip
def test_letter_is_about_one_game_and_one_seal(table: str, game: str, phase: str, seal: str) -> None:
    """It can't be used for anything else, nor sent again for the next game."""
    box = letter(SECRET, table="7", game="r1", phase="final", public=PUBLIC, turn=TURN)
    with pytest.raises(BoxUnreadable):
        read_letter(box, table=table, game=game, phase=phase, seal=seal, private=PRIVATE)


@pytest.mark.parametrize("box", ["", "00", "zz", "00" * 32, "00" * 64])
def test_what_is_no_letter_is_refused(box: str) -> None:
    """Too short, no hexadecimal, or a key on which nobody can agree."""
    with pytest.raises(BoxUnreadable):
        read_letter(box, table="7", game="r1", phase="final", seal=SECRET.seal, private=PRIVATE)


@pytest.mark.parametrize("content", [b"113 minutes", b"\xff" * 37, b"0114 " + SECRET.salt.encode()])
def test_letter_with_something_else_in_it_is_refused(content: bytes) -> None:
    """Well closed, but not the length that was sealed."""
    box = TURN + boxes.closed(content, public=PUBLIC, about=about("7", "r1", "final", SECRET.seal, TURN)).hex()
    with pytest.raises(BoxUnreadable) as refusal:
        read_letter(box, table="7", game="r1", phase="final", seal=SECRET.seal, private=PRIVATE)

    assert "114" not in str(refusal.value)


def test_fingerprint_is_short_enough_to_read_out() -> None:
    """Four groups of four, and another key has another."""
    one, other = boxes.fingerprint(PUBLIC), boxes.fingerprint(boxes.public_of(boxes.fresh_key()))

    assert (4, [4, 4, 4, 4], False) == (len(one.split()), [len(part) for part in one.split()], one == other)


def test_a_letter_opens_for_a_moment_only() -> None:
    """The table's own clock and its own mark tell; one that was held up, kept, or made up is late."""
    box = letter(SECRET, table="7", game="r1", phase="final", public=PUBLIC, turn=TURN)
    check_turn(box, 8 * TURN_NS, RUN)
    other = f"{8 * TURN_NS:016x}"
    for late, now_ns, run in (
        (box, 8 * TURN_NS + 1, RUN), (box, 7 * TURN_NS - 1, RUN), (box, 7 * TURN_NS, b"next run"),
        (other + box[16:], 8 * TURN_NS, RUN), ("", 0, RUN), ("-" + box[1:], 0, RUN), ("z" * 60, 0, RUN),
    ):  # fmt: skip
        with pytest.raises(LetterLate):
            check_turn(late, now_ns, run)


@pytest.mark.parametrize("public", [bytes(32), bytes(31)])
def test_what_nobody_can_be_written_to_is_no_key(public: bytes) -> None:
    """All zeros agree with everybody on nothing."""
    assert (False, True) == (boxes.is_key(public), boxes.is_key(PUBLIC))


def test_only_the_owner_of_a_key_can_answer_and_only_now() -> None:
    """To another question, about something else, or by another key the answer is none."""
    one, other = boxes.Question(), boxes.Question()
    proof = boxes.answer(one.asked, b"7 12", private=PRIVATE)
    stranger = boxes.answer(one.asked, b"7 12", private=boxes.fresh_key())

    assert one.is_answered(proof, b"7 12", public=PUBLIC)
    assert not one.is_answered(proof, b"7 13", public=PUBLIC)
    assert not one.is_answered(stranger, b"7 12", public=PUBLIC)
    assert not other.is_answered(proof, b"7 12", public=PUBLIC)
    assert not one.is_answered("é", b"7 12", public=PUBLIC)


@pytest.mark.parametrize("asked", ["", "zz", "00" * 32])
def test_what_is_no_question_is_refused(asked: str) -> None:
    """All zeros would have one answer for everybody."""
    with pytest.raises(ValueError, match=r"."):
        boxes.answer(asked, b"7 12", private=PRIVATE)


def test_length_that_is_told_afterwards_is_in_a_letter() -> None:
    """For one table and one seal; it starts nothing."""
    box = told_letter(SECRET, table="7", public=PUBLIC)

    assert SECRET == read_told(box, table="7", seal=SECRET.seal, private=PRIVATE)
    with pytest.raises(BoxUnreadable):
        read_told(box, table="8", seal=SECRET.seal, private=PRIVATE)
