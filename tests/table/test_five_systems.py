"""A game of each system through the API, from the set-up to the signed score: the same as `companion score` says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.commands.score import scored
from companion.rules.board import load_board
from companion.rules.objectives import load_objectives
from companion.table.lamps import lights

from .rig import PIN, TestTable, open_table

PEOPLE = ("anna", "bert", "cees")
NO_CARDS = {"infantry": 0, "artillery": 0, "cavalry": 0, "joker": 0}
LETTO = sorted(load_objectives()["letto"].territories)
LANDS = sorted(load_board("classic").territories)
CITIES = sorted(load_board("apoikia").territories)

SET_UP: dict[str, dict[str, Any]] = {
    "nl1996": {},
    "risiko": {},
    "classic": {"length_ms": 5_400_000},
    "apoikia": {"length_ms": 7_200_000},
    "rebels": {"length_ms": 5_400_000, "prize": "a cup"},
}


async def to_the_first_turn(at: TestTable, system: str) -> None:
    """Set up, seated, bound and started, Anna's turn."""
    await at.screen.put("/v1/pin", json={"pin": PIN})
    players = [{"id": one, "name": one.title()} for one in PEOPLE]
    await at.ask("set_up_table", system=system, players=players, **SET_UP[system])
    for value, player in zip((6, 5, 4), PEOPLE, strict=True):
        await at.ask("enter_start_die", player=player, value=value)
    for number, (player, colour) in enumerate(zip(PEOPLE, ("red", "blue", "black"), strict=True), 1):
        await at.ask("choose_colour", player=player, colour=colour)
        await at.ask("bind_button", player=player, button=f"seat{number}")
    await at.ask("start_game")


async def one_throw(at: TestTable, attack: list[int], defence: list[int]) -> dict[str, Any]:
    """A throw by hand, taken on the screen; the throw as the state tells it."""
    await at.ask("call_throw")
    await at.ask("enter_dice", side="attack", values=attack)
    await at.ask("enter_dice", side="defence", values=defence)
    await at.ask("accept_throw")
    throw: dict[str, Any] = (await at.state())["throw"]
    return throw


def holdings(lands: list[str], sizes: tuple[int, int, int], **more: dict[str, Any]) -> list[dict[str, Any]]:
    """What each player owns: the lands in turn, so many for each."""
    rows = []
    for number, player in enumerate(PEOPLE):
        start = sum(sizes[:number])
        rows.append(
            {
                "id": player,
                "territories": lands[start : start + sizes[number]],
                "armies": sizes[number] + 11 * (number + 1),
                "hand": {**NO_CARDS, "cavalry": number},
                **more.get(player, {}),
            }
        )
    return rows


def on_paper(folder: Path, system: str, rows: list[dict[str, Any]], **sheet: Any) -> list[dict[str, Any]]:
    """What `companion score` says of the same position."""
    colours = dict(zip(PEOPLE, ("red", "blue", "black"), strict=True))
    path = folder / "sheet.json"
    players = [{**row, "colour": colours[row["id"]]} for row in rows] or [
        {"id": one, "colour": colours[one]} for one in PEOPLE
    ]
    path.write_text(json.dumps({"system": system, "players": players, **sheet}), encoding="utf-8")
    places: list[dict[str, Any]] = scored(path)["places"]
    return places


async def signed(at: TestTable) -> dict[str, Any]:
    """Everybody signs, the referee closes; the state after it."""
    for player in PEOPLE:
        await at.ask("sign_result", player=player)
    await at.ask("close_table", pin=PIN)
    state = await at.state()
    assert "closed" == state["phase"]
    return state


def alike(state: dict[str, Any], paper: list[dict[str, Any]]) -> bool:
    """Whether places, results, scores and reasons are the same."""
    told = [
        {key: place[key] for key in ("player", "place", "result", "reason", "score")}
        for place in state["result"]["places"]
    ]
    return told == [{"score": None, **{k: v for k, v in place.items() if k != "said"}} for place in paper]


@pytest.mark.parametrize(
    ("system", "losses"),
    [("nl1996", (0, 2)), ("risiko", (1, 2)), ("classic", (0, 2)), ("apoikia", (0, 2)), ("rebels", (0, 2))],
)
async def test_a_throw_of_each_system(tmp_path: Path, system: str, losses: tuple[int, int]) -> None:
    """Six, five and two against five, four and three; the defence of RisiKo! throws all three."""
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, system)

        throw = await one_throw(at, [6, 5, 2], [5, 4, 3] if system == "risiko" else [5, 4])

        assert {"attacker": losses[0], "defender": losses[1]} == throw["losses"]
        assert ("armies", []) == (throw["against"], throw["warnings"])


async def test_dutch_game_ends_with_the_signal(tmp_path: Path) -> None:
    """The open throw is void, the scheme decides."""
    rows = holdings(LANDS, (14, 15, 13))
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "nl1996")
        await one_throw(at, [6, 5], [4])
        await at.ask("call_throw")
        await at.ask("enter_dice", side="attack", values=[6, 6, 6])
        await at.ask("sound_tijd", pin=PIN)
        state = await at.until(lambda s: s["phase"] == "frozen")
        assert ("void", "annulled") == (state["tijd"]["throw"], state["throw"]["state"])

        await at.ask("confirm_board", players=rows, vacant=[])

        assert alike(await signed(at), on_paper(tmp_path, "nl1996", rows))


async def test_risiko_finishes_its_combat_and_is_ranked_by_score(tmp_path: Path) -> None:
    """After the signal nothing but the combat in progress; the objectives are told when the board lies still."""
    more = {
        "anna": {"objective": "letto"},
        "bert": {"objective": "elefante", "armies": 50},
        "cees": {"objective": "befana"},
    }
    rows = holdings(LANDS, (14, 15, 13), **more)
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "risiko")
        await one_throw(at, [6, 5, 2], [5, 4])
        await at.ask("sound_tijd", pin=PIN)
        state = await at.until(lambda s: s["phase"] == "finishing")
        assert ("combat", False) == (state["finish"]["what"], state["finish"]["may"]["move_to_reinforce"])
        assert "end_turn" not in state["may"]
        assert {"stop_attack", "call_throw"} <= set(state["may"])
        status, refusal = await at.send("end_turn")
        assert (409, "only-finishing") == (
            status,
            refusal["error"]["code"] if "error" in refusal else refusal["problem"],
        )
        await one_throw(at, [6, 4, 2], [3])
        await at.ask("stop_attack", why="conquered")
        state = await at.state()
        assert ("frozen", ["objectives"]) == (state["phase"], state["need"]["also"])

        await at.ask("confirm_board", players=rows, vacant=[])

        assert alike(await signed(at), on_paper(tmp_path, "risiko", rows))


async def test_risiko_is_won_by_an_objective(tmp_path: Path) -> None:
    """It ends the game at once, whatever the clock says."""
    rest = [land for land in sorted(load_board("risiko").territories) if land not in LETTO]
    more = {"anna": {"objective": "letto"}, "bert": {"objective": "elefante"}, "cees": {"objective": "befana"}}
    rows = holdings([*LETTO, *rest], (len(LETTO), 10, 32 - len(LETTO)), **more)
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "risiko")
        await one_throw(at, [6], [1])
        assert "letto" in [one["id"] for one in (await at.state())["objectives"]]
        await at.ask("claim_mission", player="anna", mission="letto")

        await at.ask("confirm_board", players=rows, vacant=[])

        state = await signed(at)
        assert alike(state, on_paper(tmp_path, "risiko", rows, claim={"by": "anna", "mission": "letto"}))
        assert "win" == state["result"]["places"][0]["result"]


async def test_classic_is_won_by_a_mission(tmp_path: Path) -> None:
    """No board is needed; a throw under way at the signal would have been finished."""
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "classic")
        await one_throw(at, [6, 5, 2], [5, 4])
        await at.ask("declare_out", player="bert", by="anna")
        await at.ask("claim_mission", player="anna", mission="destroy_blue", destroyed="bert")
        assert (await at.state())["need"]["next"] is None

        await at.ask("confirm_board", players=[], vacant=[])

        out = [{"id": "bert", "players_left_before": 3, "by": "anna"}]
        claim = {"by": "anna", "mission": "destroy_blue", "destroyed": "bert"}
        assert alike(await signed(at), on_paper(tmp_path, "classic", [], claim=claim, knocked_out=out))


async def test_classic_finishes_the_throw_at_the_signal_and_people_rule(tmp_path: Path) -> None:
    """The attack lies there, the defence still comes; nobody has won, so the referee says who."""
    rows = holdings(LANDS, (14, 15, 13))
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "classic")
        await at.ask("call_throw")
        await at.ask("enter_dice", side="attack", values=[6, 5, 2])
        await at.ask("sound_tijd", pin=PIN)
        assert "throw" == (await at.until(lambda s: s["phase"] == "finishing"))["finish"]["what"]
        await at.ask("enter_dice", side="defence", values=[5, 4])
        await at.ask("accept_throw")
        assert "frozen" == (await at.state())["phase"]
        await at.ask("confirm_board", players=rows, vacant=[])
        assert [list(PEOPLE)] == (await at.state())["result"]["unresolved"]

        results = {"anna": "loss", "bert": "win", "cees": "loss"}
        await at.ask("rule_result", results=results, reason="most lands", pin=PIN)

        assert results == {one["player"]: one["result"] for one in [*_ruled(await signed(at))]}


def _ruled(state: dict[str, Any]) -> list[dict[str, Any]]:
    ruling = state["result"]["ruling"]["results"]
    return [{"player": player, "result": result} for player, result in ruling.items()]


async def test_apoikia_is_won_by_cities_with_a_sea_battle_on_the_way(tmp_path: Path) -> None:
    """Twenty-four cities at a table of three; whoever says so first has won."""
    rows = holdings(CITIES, (24, 10, 8))
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "apoikia")
        assert ["armies", "fleet"] == (await at.state())["context"]["choices"]
        await at.ask("set_context", against="fleet")
        throw = await one_throw(at, [6, 5, 2], [5, 4])
        assert ("fleet", {"attacker": 0, "defender": 2}) == (throw["against"], throw["losses"])
        await at.ask("claim_mission", player="anna")

        await at.ask("confirm_board", players=rows, vacant=[])

        assert alike(await signed(at), on_paper(tmp_path, "apoikia", rows, claim={"by": "anna"}))


async def test_rebels_come_are_fought_and_hold_lands_at_the_end(tmp_path: Path) -> None:
    """A triple makes rebels whose number people say; the next triple of that face proposes it."""
    rows = holdings(LANDS, (15, 13, 11))
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "rebels")
        assert "a cup" == (await at.state())["prize"]
        throw = await one_throw(at, [4, 4, 4], [5, 1])
        assert {"face": 4, "rebels": None, "ask": True, "proposed": None} == throw["rebels"]
        await at.ask("tell_rebels", throw=throw["id"], rebels=6)
        throw = await one_throw(at, [4, 4, 4], [5, 1])
        assert {"face": 4, "rebels": None, "ask": True, "proposed": 6} == throw["rebels"]
        await at.ask("set_context", against="rebels")
        throw = await one_throw(at, [6, 5, 2], [6, 1])
        assert {"attacker": 2, "defender": 0} == throw["losses"]
        await at.ask("sound_tijd", pin=PIN)
        await at.until(lambda s: s["phase"] == "frozen")

        await at.ask("confirm_board", players=rows, vacant=LANDS[39:])

        assert alike(await signed(at), on_paper(tmp_path, "rebels", rows, vacant=LANDS[39:]))


async def test_two_presses_correct_a_die_and_undo_names_what_it_takes_back(tmp_path: Path) -> None:
    """Through panel and API: no PIN for either."""
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "risiko")
        await one_throw(at, [6, 5, 2], [5, 4])
        await at.ask("propose_correction", side="attack", position=0, value=5)
        assert ["thrower", "opponent"] == (await at.state())["agreement"]["waiting_for"]
        at.sim.button("seat1").press()
        await at.until(lambda s: s["agreement"]["agreed"] == ["anna"])
        at.sim.button("seat3").press()
        state = await at.until(lambda s: s["agreement"] is None)
        assert {"attacker": 1, "defender": 1} == state["throw"]["losses"]
        await at.ask("end_turn")
        undo = (await at.state())["undo"]
        assert ("turn.started", "bert") == (undo["what"], undo["event"]["data"]["player"])

        await at.ask("undo", what="turn.started", instead={"command": "end_turn", "args": {"player": "cees"}})

        assert "cees" == (await at.state())["turn"]["player"]


async def test_lamp_of_the_attacker_burns_on_after_the_signal(tmp_path: Path) -> None:
    """Whoever may finish the combat is told by the lamp; when the board is frozen nobody is."""
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "risiko")
        await one_throw(at, [6, 5, 2], [5, 4])
        await at.ask("sound_tijd", pin=PIN)
        await at.until(lambda s: s["phase"] == "finishing")
        during = lights(at.service.state)
        await at.ask("stop_attack")

        assert ({"seat1"}, set()) == (set(during.steady), set(lights(at.service.state).steady))


async def test_lamps_of_all_who_are_asked_blink_until_they_agree_or_the_time_is_over(tmp_path: Path) -> None:
    """Nobody presses "I throw" and has agreed to a correction without knowing."""
    async with open_table(tmp_path) as at:
        await to_the_first_turn(at, "nl1996")
        await one_throw(at, [6, 5, 2], [5, 4])
        await at.ask("propose_correction", side="attack", position=0, value=5, window_ms=2_000)
        proposed_ns = at.service.state.proposed.at_ns if at.service.state.proposed else 0
        await at.ask("agree_correction", player="cees")

        asked = lights(at.service.state, proposed_ns + 1_999_000_000)
        after = lights(at.service.state, proposed_ns + 2_001_000_000)

        assert ({"seat1", "seat2"}, set()) == (set(asked.blinking), set(asked.steady))
        assert (set(), {"seat1"}) == (set(after.blinking), set(after.steady))
