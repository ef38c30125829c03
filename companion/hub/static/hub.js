// Ages and clocks run on by themselves between two words of the hub, so that a page that lost the hub, or a table that
// the hub lost, grows visibly old instead of staying green.
"use strict";
const body = document.body.dataset;
const board = document.getElementById("board");
const lossMs = Number(body.lossMs);
let heardAt = performance.now();
let agesAt = heardAt;
let wanted = false;
let fetching = false;

function agoText(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 120) return body.s.replace("{n}", s);
  const min = Math.floor(s / 60);
  return min < 120 ? body.min.replace("{n}", min) : body.h.replace("{n}", Math.floor(min / 60));
}

function clockText(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  const two = (n) => String(n).padStart(2, "0");
  const h = Math.floor(s / 3600);
  return (h ? `${h}:${two(Math.floor(s / 60) % 60)}` : `${Math.floor(s / 60)}`) + `:${two(s % 60)}`;
}

function tick() {
  const since = performance.now() - agesAt;
  for (const age of board.querySelectorAll("[data-age-ms]")) {
    const ms = Number(age.dataset.ageMs) + since;
    age.textContent = agoText(ms);
    if (age.dataset.age === "contact") age.closest(".table").classList.toggle("stale", ms > lossMs);
  }
  for (const clock of board.querySelectorAll("[data-clock-ms]")) {
    if (clock.closest(".stale")) continue;
    const ran = clock.dataset.runs === "true" ? since * Number(clock.dataset.scale) : 0;
    const ms = Number(clock.dataset.clockMs) + (clock.dataset.down === "true" ? -ran : ran);
    clock.textContent = clock.dataset.pattern.replace("{time}", clockText(ms));
  }
  document.getElementById("lost").hidden = performance.now() - heardAt <= lossMs;
}

function takeAges(tables) {
  agesAt = performance.now();
  for (const card of board.querySelectorAll("[data-table]")) {
    const ages = tables[card.dataset.table];
    if (!ages) continue;
    for (const age of card.querySelectorAll("[data-age-ms]")) {
      const ms = ages[`${age.dataset.age}_age_ms`];
      if (ms !== null) age.dataset.ageMs = ms;
    }
    const clock = card.querySelector("[data-clock-ms]");
    if (clock && ages.clock_ms !== null) clock.dataset.clockMs = ages.clock_ms;
  }
  tick();
}

async function refresh() {
  wanted = true;
  if (fetching) return;
  fetching = true;
  try {
    while (wanted) {
      wanted = false;
      const answer = await fetch("/board" + body.query, { cache: "no-store" });
      if (!answer.ok) return;
      board.innerHTML = await answer.text();
      heardAt = agesAt = performance.now();
      tick();
    }
  } catch (error) {
    console.warn("the hub did not answer", error);
  } finally {
    fetching = false;
  }
}

function listen() {
  const events = new EventSource("/events");
  events.addEventListener("board", () => { heardAt = performance.now(); refresh(); });
  events.addEventListener("pulse", (event) => { heardAt = performance.now(); takeAges(JSON.parse(event.data)); });
  // A browser gives up for good when it gets another answer than a stream, as from a proxy while the hub restarts.
  events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) setTimeout(listen, 3000); });
}

listen();
setInterval(tick, 500);
tick();
