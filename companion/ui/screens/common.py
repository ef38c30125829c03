"""What every screen draws from: the state with its players, permissions, words and the line at the top."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.ui.asking import Asked
from companion.ui.blocks import Bar, Block, Button, Do, Head, Mark, Screen, Send, Tone
from companion.ui.clock import Link, Reading, reading
from companion.ui.desk import Desk
from companion.ui.draft import Atlas
from companion.words import Words, duration

SHAPES: Mapping[str | None, str] = {
    "black": "■",
    "blue": "●",
    "green": "▲",
    "red": "◆",
    "white": "★",
    "yellow": "✚",
    None: "○",
}
"""One shape for each colour of the game, so that a player is told apart without seeing colours."""

MOST_BARS = 2
"""Warnings that a screen shows at once: more would push away what people came for."""

NOTICE_S = 12.0
"""Seconds for which a refusal stays on the screen unless a press takes it away sooner."""


SILENCE_MS = 30_000
"""For how long the screen says that somebody asked for silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything that a screen is made from.

    Attributes:
        state: `GET /v1/state`, or an empty mapping while the table has not answered yet.
        desk: The screen's own memory.
        link: How well the table is heard.
        now_s: Monotonic seconds.
        words: Sentences in the screen's language, with the players' names.
        atlas: Territories by continent of the board in play.
        board: Name of that board.
        cards: Ids of all mission cards of the box.
        asked: What decides a frozen board, or None in another phase.
        pages: Names of the pages that can be opened now.
    """

    state: Mapping[str, Any]
    desk: Desk
    link: Link
    now_s: float
    words: Words
    atlas: Atlas
    board: str = "classic"
    cards: Sequence[str] = ()
    asked: Asked | None = None
    pages: Collection[str] = ()

    def say(self, key: str, /, **values: Any) -> str:
        """A sentence in the reader's language."""
        return self.words.say(key, **values)

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """All players in playing order; those without an order yet last."""
        listed: Sequence[Mapping[str, Any]] = self.state.get("players") or ()
        return sorted(listed, key=lambda player: player.get("order") or 99)

    @property
    def alive(self) -> Sequence[Mapping[str, Any]]:
        """Players still in the game, in playing order."""
        return [player for player in self.players if not player.get("out")]

    def player(self, id_: str | None) -> Mapping[str, Any]:
        """The player with that id; one with nothing but the id if nobody here has it."""
        return next((player for player in self.players if player["id"] == id_), {"id": id_ or ""})

    def mark(self, id_: str | None) -> Mark:
        """How that player is recognised."""
        colour = self.player(id_).get("colour")
        return Mark(colour=colour, shape=SHAPES.get(colour, SHAPES[None]))

    def dice_colour(self, side: str | None) -> str | None:
        """What a side's dice look like at this table, or None where it does not say."""
        colour: str | None = (self.state.get("dice_colours") or {}).get(side)
        return colour

    def name(self, id_: str | None) -> str:
        """That player's name."""
        return self.words.name(id_ or "")

    @property
    def may(self) -> Sequence[str]:
        """Commands that the table takes from this screen now."""
        return self.state.get("may") or ()

    def can(self, command: str) -> bool:
        """Whether the command is possible now, by this screen alone or with the referee's PIN."""
        return command in self.may or command in (self.state.get("may_referee") or ())

    def needs_pin(self, command: str) -> bool:
        """Whether only the referee's PIN makes the command possible."""
        return command not in self.may

    def ask(
        self, command: str, text: str, *, tone: Tone = "plain", symbol: str = "", note: str = "", **args: Any
    ) -> Button:
        """A button that sends a command; greyed while another is on its way, marked where it needs the PIN."""
        if self.needs_pin(command):
            note = note or self.say("ui.with-pin")
        waits = self.desk.sending is not None
        does = Send(command=command, args=args) if self.can(command) and not waits else None
        return Button(text=text, does=does, tone=tone, symbol=symbol, note=note)

    def open(self, page: str, text: str, *picks: Any, tone: Tone = "plain", symbol: str = "", note: str = "") -> Button:
        """A button that opens a page of this screen."""
        return Button(text=text, does=Do(verb="open", args=(page, *picks)), tone=tone, symbol=symbol, note=note)

    def back(self) -> Button:
        """The button that leaves a page and changes nothing."""
        return Button(text=self.say("ui.back"), does=Do(verb="close"), symbol="←")

    @property
    def missions(self) -> Sequence[str]:
        """Mission cards in play."""
        return self.state.get("missions") or ()

    @property
    def removed_missions(self) -> Sequence[str]:
        """Mission cards that the rules take out for these players; none where other cards, or none, are played."""
        is_played = any(card in self.missions for card in self.cards)
        return [card for card in self.cards if card not in self.missions] if is_played else ()

    @property
    def clock(self) -> Reading | None:
        """The clock now, or None when there is none."""
        return reading(self.link, self.now_s)

    def screen(
        self,
        name: str,
        *,
        main: Sequence[Block],
        top: Sequence[Block] = (),
        side: Sequence[Block] = (),
        foot: Sequence[Block] = (),
        side_share: float = 0.4,
        side_first: bool = False,
        flash: bool = False,
        alarm: bool = False,
        moment: str = "",
        clock_in_head: bool = True,
        menu: bool = True,
        is_full: bool = False,
    ) -> Screen:
        """A whole screen with its head and its warnings; a full one has them in its head, to spare its buttons."""
        bars = _bars(self, tells_health=name not in {"health", "calibrate"})
        alert = _alert(bars) if is_full else None
        return Screen(
            name=name,
            moment=moment,
            head=_head(self, clock_in_head=clock_in_head, menu=menu, alert=alert),
            bars=() if is_full else bars[:MOST_BARS],
            top=tuple(top),
            main=tuple(main),
            side=tuple(side),
            foot=tuple(foot),
            side_share=side_share,
            side_first=side_first,
            flash=flash,
            alarm=alarm,
        )


def _head(scene: Scene, *, clock_in_head: bool, menu: bool, alert: Bar | None) -> Head:
    state, say, clock = scene.state, scene.say, scene.clock
    place = []
    if state.get("table"):
        place.append(say("ui.table", table=state["table"]))
    if state.get("round") and state.get("tournament"):
        place.append(say("ui.round", round=state["round"]))
    if clock is not None and clock.scale != 1.0:
        place.append(say("ui.demo", scale=clock.scale))
    silent_s = scene.link.silent_s(scene.now_s)
    shown = ""
    if clock_in_head and clock is not None and clock.remaining_ms is not None and state.get("phase") == "playing":
        shown = duration(clock.remaining_ms)
    return Head(
        place=" · ".join(place) or say("ui.product"),
        phase=say(f"phase.{state['phase']}") if state.get("phase") else "",
        link=say("ui.link-good") if silent_s is None else say("ui.link-lost"),
        link_tone="good" if silent_s is None else "bad",
        clock=shown,
        menu=Do(verb="open", args=("menu",)) if menu else None,
        menu_text=say("ui.menu"),
        alert=alert,
    )


def _alert(bars: Sequence[Bar]) -> Bar | None:
    """The worst warning, and how many more there are."""
    if not bars:
        return None
    more = f"  (+{len(bars) - 1})" if len(bars) > 1 else ""
    return Bar(text=bars[0].text + more, tone=bars[0].tone)


def _bars(scene: Scene, *, tells_health: bool) -> tuple[Bar, ...]:
    """Warnings, the worst first; the page that tells of every part needs none of them twice."""
    state, say, desk = scene.state, scene.say, scene.desk
    bars: list[Bar] = []
    silent_s = scene.link.silent_s(scene.now_s)
    if silent_s is not None:
        told = say("ui.silent-always") if silent_s == float("inf") else say("ui.silent", n=int(silent_s))
        bars.append(Bar(text=told, tone="bad"))
    if desk.notice is not None and (desk.notice.at_s is None or scene.now_s - desk.notice.at_s < NOTICE_S):
        bars.append(Bar(text=scene.words.problem(desk.notice.problem), tone="bad"))
    called = state.get("referee_called")
    if called is not None:
        dismiss = Send(command="dismiss_referee") if "dismiss_referee" in scene.may and desk.sending is None else None
        told = say("ui.referee-called", waiting_ms=int(called.get("waiting_ms") or 0))
        bars.append(Bar(text=told, tone="warn", does=dismiss, label=say("ui.referee-came")))
    silence = state.get("silence")
    if silence is not None and int(silence.get("asked_ms") or 0) < SILENCE_MS:
        bars.append(Bar(text=say("ui.silence-asked", player=silence.get("by")), tone="warn"))
    recovered = state.get("recovered")
    if recovered and recovered.get("events") and recovered["events"] != desk.told:
        bars.append(
            Bar(
                text=_recovered_told(scene, recovered),
                tone="warn",
                does=Do(verb="told", args=(recovered["events"],)),
                label=say("ui.understood"),
            )
        )
    # A demo's clock is told in the head of every screen and need not take a bar's room as well.
    items = [item for item in state.get("health") or () if item.get("code") != "clock-scaled"]
    failing = [item for item in items if item.get("state") not in {"ok", None}]
    if failing and tells_health:
        worst: Tone = "bad" if any(item["state"] == "fail" for item in failing) else "warn"
        told = " · ".join(scene.words.health(item) for item in failing)
        bars.append(Bar(text=told, tone=worst, does=Do(verb="open", args=("health",)), label=say("ui.more")))
    return tuple(bars)


def _recovered_told(scene: Scene, recovered: Mapping[str, Any]) -> str:
    away_ms = recovered.get("away_ms")
    if away_ms is None:
        return scene.say("ui.recovered", n=recovered["events"])
    return scene.say("ui.recovered-away", n=recovered["events"], away_ms=away_ms)
