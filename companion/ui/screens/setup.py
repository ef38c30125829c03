"""A home game: which rules, who plays, how long, and the choices that the rule text leaves open.

What boxes and clubs differ in stands on the page with what holds now, so that nobody plays by a default that they have
not seen. Where the rules keep the length secret, the page asks for the phase of the tournament and shows no length.
"""

from __future__ import annotations

from typing import Any

from companion.rules.clock import game_length_s, length_range, secret_length
from companion.rules.ruleset import SYSTEMS, Option, Ruleset, load_ruleset
from companion.ui.blocks import Block, Button, Buttons, Do, Screen, Text
from companion.ui.desk import seats_of
from companion.ui.screens.common import Scene

MINUTES = (30, 60, 90, 120)
LONG_MINUTES = (60, 90, 120, 180)
DEEMED_CLAUSE = {"nl1996": "4.6", "risiko": "18"}
"""Clauses by which borders count whatever a print of the board shows."""

WANTS_PRIZE = frozenset({"rebels"})
"""Systems whose text wants it said beforehand what victory brings."""

PRIZES = ("honour", "organiser", "aloud")
TOLD_NOT_ASKED = {"nl1996": frozenset({"board.edition"})}
"""Doubtful choices that make no difference in a system, because its own text settles what hangs on them."""


def setup_system(scene: Scene) -> Screen:
    """Which rules the table plays by."""
    say = scene.say
    buttons = tuple(
        Button(
            text=scene.words.shown("system", system),
            note=_system_note(scene, system),
            does=Do(verb="system", args=(system,)),
            chosen=system == scene.desk.form.system,
        )
        for system in SYSTEMS
    )
    return scene.screen(
        "setup-system",
        main=(
            Text(text=say("ui.setup-system"), size="large"),
            Buttons(buttons=buttons, across=2, down_across=1, grow=1.0),
        ),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


def _system_note(scene: Scene, system: str) -> str:
    rules = load_ruleset(system)
    least, most = seats_of(system)
    known_s = game_length_s(rules)
    if known_s is not None:
        time = scene.say("ui.minutes", n=known_s // 60)
    else:
        time = scene.say("ui.time-agreed" if secret_length(rules) is None else "ui.time-secret")
    return scene.say("ui.system-note", least=least, most=most, time=time)


def setup(scene: Scene) -> Screen:
    """How many play, and what they are called."""
    say, form = scene.say, scene.desk.form
    trouble = _form_trouble(scene)
    return scene.screen(
        "setup",
        main=(
            Buttons(buttons=(*_names(scene), *_seat_steps(scene)), across=8, down_across=2),
            Text(text=trouble or say("ui.names-good"), tone="warn" if trouble else "good"),
            _letters(scene),
        ),
        foot=(
            Buttons(
                buttons=(
                    scene.open(
                        "setup-system", say("ui.back"), symbol="←", note=scene.words.shown("system", form.system)
                    ),
                    Button(text=say("ui.erase"), symbol="⌫", does=Do(verb="unletter")),
                    Button(
                        text=say("ui.go-on"),
                        tone="strong",
                        symbol="→",
                        does=None if trouble else Do(verb="open", args=("setup-rules",)),
                    ),
                ),
                across=3,
                down_across=3,
            ),
        ),
        menu=False,
    )


def _names(scene: Scene) -> tuple[Button, ...]:
    form = scene.desk.form
    return tuple(
        Button(
            text=name or scene.say("ui.name-empty", number=at + 1),
            does=Do(verb="name-at", args=(at,)),
            chosen=at == form.at,
            symbol="✎" if at == form.at and len(form.names) < 5 else "",
        )
        for at, name in enumerate(form.names)
    )


def _seat_steps(scene: Scene) -> tuple[Button, ...]:
    """One player fewer or more, as far as the rules know such a table."""
    say, count = scene.say, len(scene.desk.form.names)
    least, most = seats_of(scene.desk.form.system)
    fewer, more = (Do(verb="seats", args=(count + step,)) for step in (-1, 1))
    return (
        Button(text="−1", note=say("ui.players-n", n=count), does=fewer if count > least else None),
        Button(text="+1", note=say("ui.players-n", n=count), does=more if count < most else None),
    )


def _letters(scene: Scene) -> Buttons:
    letters = (*scene.say("ui.alphabet"), "-", " ")
    typed = scene.desk.form.names[scene.desk.form.at]
    buttons = tuple(
        Button(
            text=scene.say("ui.space-bar") if letter == " " else (letter.lower() if typed else letter.upper()),
            does=Do(verb="letter", args=(letter.lower(),)),
        )
        for letter in letters
    )
    return Buttons(buttons=buttons, across=10, down_across=6, grow=1.0)


def _form_trouble(scene: Scene) -> str:
    names = [name.strip() for name in scene.desk.form.names]
    if not all(names):
        return scene.say("ui.name-missing", number=names.index("") + 1)
    doubled = [name for name in names if names.count(name) > 1]
    return scene.say("ui.name-twice", doubled=doubled[0]) if doubled else ""


def setup_rules(scene: Scene) -> Screen:
    """How long, what differs from box to box, and what must be agreed before the start."""
    say, form = scene.say, scene.desk.form
    rules = load_ruleset(form.system)
    main: list[Block] = [Text(text=say("ui.rules-of", system=form.system), size="large"), _length(scene, rules)]
    asked = tuple(_choice(scene, option) for option in asked_options(scene, rules))
    if asked:
        main.append(Buttons(label=say("ui.boxes-differ"), buttons=asked, across=2, down_across=1))
    # Prints of the board differ in these lines; the rules count them all the same, so they are told and not asked.
    deemed = rules.at("borders.deemed") or ()
    lines = [" – ".join(scene.words.shown("territory", land) for land in line) for line in deemed]
    if form.system in DEEMED_CLAUSE:
        told = say("ui.deemed-borders", lines=lines, clause=DEEMED_CLAUSE[form.system])
        main.append(Text(text=told, tone="dim", size="small"))
    if form.system in WANTS_PRIZE:
        prizes = tuple(
            Button(text=say(f"prize.{prize}"), does=Do(verb="prize", args=(prize,)), chosen=prize == form.prize)
            for prize in PRIZES
        )
        main.append(Buttons(label=say("ui.prize"), buttons=prizes, across=3, down_across=1))
        main.append(Text(text=say("ui.agree-rebels"), tone="dim", size="small"))
    if form.system == "apoikia":
        main.append(Text(text=say("ui.agree-apoikia"), tone="dim", grow=1.0))
    said = _arguments(scene, rules)
    open_table = scene.ask("set_up_table", say("ui.open-table"), tone="strong", symbol="✓", **said)
    if said.get("prize") == "":
        open_table = Button(text=say("ui.open-table"), does=None, note=say("ui.prize-first"))
    return scene.screen(
        "setup-rules",
        main=main,
        foot=(Buttons(buttons=(scene.open("setup", say("ui.back"), symbol="←"), open_table), across=2, down_across=2),),
        menu=False,
    )


def _arguments(scene: Scene, rules: Ruleset) -> dict[str, Any]:
    form = scene.desk.form
    said: dict[str, Any] = {
        "system": form.system,
        "players": [{"id": f"p{at}", "name": name.strip()} for at, name in enumerate(form.names, start=1)],
        "options": dict(form.options),
    }
    if form.system in WANTS_PRIZE:
        said["prize"] = scene.say(f"prize.{form.prize}") if form.prize else ""
    if secret_length(rules) is None:
        return said | {"length_ms": form.minutes * 60_000}
    return said | {"phase": form.phase}


def _length(scene: Scene, rules: Ruleset) -> Buttons:
    """The length; where it is secret, the phase of the tournament within whose range it lies."""
    say, form = scene.say, scene.desk.form
    if secret_length(rules) is not None:
        phases = tuple(
            Button(
                text=say(f"tournament-phase.{phase}"),
                note="{}–{}".format(*length_range(phase, ruleset=rules)),
                does=Do(verb="phase", args=(phase,)),
                chosen=phase == form.phase,
            )
            for phase in rules.table("time.minutes")
        )
        return Buttons(label=say("ui.phase-secret"), buttons=phases, across=4, down_across=2)
    lengths = MINUTES if game_length_s(rules) is not None else LONG_MINUTES
    return Buttons(
        label=say("ui.length"),
        buttons=tuple(
            Button(text=say("ui.minutes", n=m), does=Do(verb="minutes", args=(m,)), chosen=m == form.minutes)
            for m in lengths
        ),
        across=4,
        down_across=2,
    )


def asked_options(scene: Scene, rules: Ruleset) -> list[Option]:
    """The doubtful choices that this page asks for: those with more than one value that has words."""
    told = TOLD_NOT_ASKED.get(rules.system, frozenset())
    return [option for option in rules.doubtful() if option.name not in told and len(_values(scene, option)) > 1]


def _values(scene: Scene, option: Option) -> list[str]:
    values = [str(value) for value in option.values]
    # A club's own table of card values comes with the club's file, never from this page.
    return [value for value in values if scene.words.knows(f"option.{option.name}.{value}")]


def _chosen(scene: Scene, option: Option) -> str:
    return str(scene.desk.form.options.get(option.name, str(option.default)))


def _choice(scene: Scene, option: Option) -> Button:
    text = scene.say(f"option.{option.name}.{_chosen(scene, option)}")
    return scene.open("setup-option", text, option.name, symbol="✎", note=scene.say(f"option.{option.name}"))


def setup_option(scene: Scene) -> Screen:
    """One doubtful choice with all that it may be."""
    rules = load_ruleset(scene.desk.form.system)
    option = rules.choices[str(scene.desk.picks[0])]
    buttons = tuple(
        Button(
            text=scene.say(f"option.{option.name}.{value}"),
            does=Do(verb="option", args=(option.name, value)),
            chosen=value == _chosen(scene, option),
        )
        for value in _values(scene, option)
    )
    main: list[Block] = [Text(text=scene.say(f"option.{option.name}"), size="large")]
    if option.clause:
        main.append(Text(text=scene.say("ui.option-clause", clause=option.clause), tone="dim"))
    return scene.screen(
        "setup-option",
        moment=option.name,
        main=(*main, Buttons(buttons=buttons, across=2 if len(buttons) > 4 else 1, down_across=1, grow=1.0)),
        foot=(
            Buttons(buttons=(scene.open("setup-rules", scene.say("ui.back"), symbol="←"),), across=1, down_across=1),
        ),
        menu=False,
    )
