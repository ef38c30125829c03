"""What a press means: the one table of it, as data.

docs/buttons.md and the sheet beside the box are made from these rows, in the words of the paper catalog; a test plays
each row in each system. What decides is `decide.play`; this table says it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """One row.

    Attributes:
        when: In which situation, a word of `paper.press.when.*`.
        whose: Whose button, a word of `paper.press.whose.*`.
        means: What happens, a word of `paper.press.means.*`.
        noted: Code of the note where it means nothing, or None.
        system: The only system that has this row, or None for all.
    """

    when: str
    whose: str
    means: str
    noted: str | None = None
    system: str | None = None


PRESSES: tuple[Press, ...] = (
    Press(when="start-dice", whose="anybody", means="nothing", noted="press-meant-nothing"),
    Press(when="order-known", whose="unbound", means="bound"),
    Press(when="order-known", whose="somebodys", means="nothing"),
    Press(when="ready", whose="seat", means="ready", noted="press-meant-nothing"),
    Press(when="ready", whose="key", means="start"),
    Press(when="playing", whose="turn", means="throw"),
    Press(when="dice-awaited", whose="turn", means="same-throw"),
    Press(when="playing", whose="other", means="my-turn"),
    Press(when="defence-awaited", whose="other", means="defender", noted="press-during-throw"),
    Press(when="before-turn", whose="other", means="nothing"),
    Press(when="playing", whose="out", means="nothing", noted="press-without-player"),
    Press(when="correction", whose="seat", means="agree"),
    Press(when="correction", whose="held", means="refuse"),
    Press(when="paused", whose="seat", means="paused", noted="press-in-pause"),
    Press(when="combat", whose="turn", means="throw-on", system="risiko"),
    Press(when="finishing", whose="other", means="too-late", noted="press-too-late"),
    Press(when="frozen", whose="seat", means="nothing", noted="press-too-late"),
    Press(when="closed", whose="seat", means="nothing", noted="press-meant-nothing"),
    Press(when="any", whose="held", means="referee"),
    Press(when="called", whose="key", means="answered"),
    Press(when="organiser", whose="key-held", means="tijd"),
    Press(when="otherwise", whose="key", means="nothing", noted="press-meant-nothing"),
)

ON_SCREEN: tuple[str, ...] = (
    "claim", "out", "stopped", "fallen", "allowed", "against", "misread", "undo", "silence", "dispute",
)  # fmt: skip
"""What is two taps away on the screen, words of `paper.press.screen.*`; `against` only where a system knows several."""

CLOSES: tuple[str, ...] = ("lift", "next", "signal", "people")
"""What closes a throw, words of `paper.press.closes.*`."""
