// Programs, cores, and the time of the selected cores: what is selected, and what can be done with it.

const program = () => data.programs[state.program];
const core = () => program().cores[state.cores[0]];
const shownCores = () => state.cores.map((index) => program().cores[index]);

/** Selects a program and cores of it, and draws them. */
function select(programIndex, cores) {
  if (programIndex !== state.program) Object.assign(state, { program: programIndex, from: 0, to: 1, range: null });
  Object.assign(state, { cores, picked: null });
  drawProgram();
}

function drawPrograms() {
  const tabs = data.programs.map((it, index) => h("button", {
    role: "tab", "aria-selected": String(index === state.program), onclick: () => select(index, [0]),
  }, `${it.name} · ${count(it.cycles)} cycles`));
  $("programs").replaceChildren(...(data.programs.length > 1 ? tabs : []));
}

/** The share of a core's time that its processors wait. */
function waiting(it) {
  let waits = 0, all = 0;
  for (const lane of it.lanes) {
    all += program().cycles - lane.begun;
    for (const [what, cycles] of lane.totals) waits += program().whats[what][1] === "busy" ? 0 : cycles;
  }
  return all ? waits / all : 0;
}

function drawCores() {
  const [columns, rows] = data.grid, buttons = [];
  const toggle = (index) => {
    const others = state.cores.filter((it) => it !== index);
    select(state.program, others.length === state.cores.length ? [...others, index] : others.length ? others : [index]);
  };
  for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) {
    const index = program().cores.findIndex((it) => it.x === x && it.y === y);
    const share = index < 0 ? 0 : waiting(program().cores[index]);
    const name = `core (${x},${y})` + (index < 0 ? ": no kernel" : `: waits ${percent(share, 1)} of its time`);
    buttons.push(tipped(h("button", {
      "aria-label": name, "aria-pressed": String(state.cores.includes(index)), disabled: index < 0 ? "" : null,
      style: index < 0 ? {} : { background: `color-mix(in srgb, var(--idle) ${Math.round(90 * share)}%, var(--busy))` },
      onclick: (event) => event.shiftKey || event.ctrlKey || event.metaKey ? toggle(index) : select(state.program, [index]),
    }), () => name));
  }
  const all = program().cores.map((_, index) => index);
  $("cores").replaceChildren(
    h("div", { class: "grid", style: { gridTemplateColumns: `repeat(${columns}, max-content)` } }, buttons),
    h("p", { class: "soft small" }, "Strong colour: little waiting. Shift-click adds a core."),
    all.length > 1 ? h("div", { class: "bar" },
      h("button", { onclick: () => select(state.program, all.slice(0, 4)) }, `first ${Math.min(4, all.length)}`),
      h("button", { onclick: () => select(state.program, all) }, "all")) : "");
}

/** All cycles that the chart covers; a run that is stuck waits on for ever, and a strip shows it. */
const total = () => Math.max(1, program().cycles) * (program().is_stuck ? 1.08 : 1);

function look(from, span) {
  const width = Math.min(1, Math.max(span, 20 / total()));
  state.from = Math.min(Math.max(0, from), 1 - width);
  state.to = state.from + width;
  drawCharts();
}

const zoom = (factor, at = 0.5) => {
  const span = Math.min(1, (state.to - state.from) * factor);
  look(state.from + (state.to - state.from) * at - span * at, span);
};

/** Calls `see` with what, site, and the cycles from and to of each slice of a lane. */
function eachSlice(lane, see) {
  let cycle = lane.begun, site = 0;
  for (let i = 0; i < lane.slices.length; i += 3) {
    site = lane.slices[i + 1];
    see(lane.slices[i], site, cycle, cycle + lane.slices[i + 2]);
    cycle += lane.slices[i + 2];
  }
  if (lane.stuck !== null) see(lane.stuck, site, cycle, Infinity);
}

function eachLevel(ring, see) {
  let cycle = 0;
  for (let i = 0; i < ring.levels.length; i += 2) {
    cycle += ring.levels[i];
    see(ring.levels[i + 1], cycle, i + 2 < ring.levels.length ? cycle + ring.levels[i + 2] : Infinity);
  }
}

const placeOf = (site) => {
  const [file, line] = program().sites[site];
  return file ? `${fileName(file)}:${line}` : "";
};

function drawTimeline() {
  const canvas = h("canvas", { class: "chart", tabindex: "0", role: "img",
    "aria-label": "What each processor did, and how full each circular buffer was, over simulated time" });
  const buttons = [["−", "zoom out", () => zoom(2)], ["+", "zoom in", () => zoom(0.5)],
    ["whole run", "show the whole run", () => look(0, 1)]];
  const search = h("input", { type: "search", placeholder: "search: call, wait, file:line", "aria-label": "search slices", value: state.query,
    oninput: () => { state.query = search.value; drawCharts(); },
    onkeydown: (event) => { if (event.key === "Enter") nextMatch(); } });
  const lanes = shownCores().flatMap((it) => it.lanes), grain = Math.max(...lanes.map((lane) => lane.grain));
  const cores = shownCores().length > 4 ? plural(shownCores().length, "core") : "core " + shownCores().map(coreName).join(", ");
  $("timeline").replaceChildren(
    h("div", { class: "bar" }, h("b", null, cores),
      buttons.map(([text, label, onclick]) => h("button", { "aria-label": label, onclick }, text)), search,
      h("button", { onclick: nextMatch }, "next"), h("span", { id: "matches", class: "soft small" })),
    canvas,
    h("div", { class: "legend" }, GROUPS.map((group) => h("span", null, key(group), group === "busy" ? "works" : "waits: " + group))),
    h("p", { class: "soft small" }, "Drag to pan, Shift and drag to measure, Ctrl and wheel or double-click to zoom; click a slice for its call and line."
      + (grain > 0 ? ` Slices within ${count(grain)} cycles of one another are drawn as the longest of them; totals are exact.`
        : lanes.some((lane) => lane.coarse) ? " Calls that follow one another are one slice, named after the longest; totals are exact." : "")),
    h("div", { id: "measure" }), h("div", { id: "picked" }));
  redraws[0] = drawCharts;
  steer(canvas);
  drawCharts();
}

/** Draws everything that shares the axis of time. */
function drawCharts() {
  const canvas = $("timeline").querySelector("canvas");
  if (!canvas) return;
  chart(canvas);
  drawTraffic();
  drawMeasure();
  drawPicked();
  const found = matches(), isCoarse = shownCores().some((it) => it.lanes.some((lane) => lane.coarse));
  $("matches").textContent = state.query && !found.length && isCoarse ? "no slice is named after it; it may be part of a longer one" : state.query ? `${plural(found.length, "slice")}, ${count(found.reduce((sum, it) => sum + it.to - it.from, 0))} cycles` : "";
}

/** Whether a slice is what the search asks for. */
function matcher() {
  const query = state.query.trim().toLowerCase();
  if (!query) return null;
  const has = (text) => text.toLowerCase().includes(query);
  // A place is found whole: line 2 is not line 21.
  const isPlace = /:\d+$/.test(query);
  const whats = program().whats.map(([text, group, kind]) => !isPlace && (has(text) || has(kind) || has(group)));
  const sites = program().sites.map(([file, line]) => isPlace ? `/${file}:${line}`.toLowerCase().endsWith("/" + query) : has(fileName(file)));
  return (what, site) => whats[what] || sites[site];
}

/** All slices of the shown cores that the search asks for. */
function matches() {
  const is = matcher(), found = [];
  if (is) for (const it of shownCores()) for (const lane of it.lanes) {
    eachSlice(lane, (what, site, from, to) => { if (is(what, site) && to !== Infinity) found.push({ core: it, lane, what, site, from, to }); });
  }
  return found;
}

/** Moves to the next slice that the search asks for. */
function nextMatch() {
  const found = matches().sort((a, b) => a.from - b.from);
  const after = state.picked ? state.picked.from : -1;
  const next = found.find((it) => it.from > after) ?? found[0];
  if (!next) return;
  state.picked = next;
  const span = Math.min(state.to - state.from, Math.max(20 * (next.to - next.from), 400) / total());
  look((next.from + next.to) / 2 / total() - span / 2, span);
}

/** What was measured: the selected range by processor. */
function drawMeasure() {
  if (!state.range) return $("measure").replaceChildren();
  const [from, to] = state.range;
  const rows = shownCores().slice(0, 8).flatMap((it) => it.lanes.map((lane) => {
    const sums = { work: 0, wait: 0 }, waits = new Map();
    eachSlice(lane, (what, _, begin, end) => {
      const cycles = Math.min(end, to) - Math.max(begin, from);
      if (cycles <= 0) return;
      const isWork = program().whats[what][1] === "busy";
      sums[isWork ? "work" : "wait"] += cycles;
      if (!isWork) waits.set(what, (waits.get(what) || 0) + cycles);
    });
    const [longest] = [...waits].sort((a, b) => b[1] - a[1]);
    return [coreName(it), PROCESSORS[lane.processor], percent(sums.work, to - from), percent(sums.wait, to - from),
      longest ? `${program().whats[longest[0]][0]}: ${count(longest[1])} cycles` : "–"];
  }));
  $("measure").replaceChildren(h("h3", null, `Cycles ${count(from)} to ${count(to)}: ${plural(to - from, "cycle")}`),
    h("div", { class: "bar" }, h("button", { onclick: () => look(from / total(), (to - from) / total()) }, "zoom to the range"),
      h("button", { onclick: () => { state.range = null; drawCharts(); } }, "clear")),
    table(["core", "processor", "works", "waits", "longest wait"], rows, [2, 3]));
}

/** The slice that was clicked: its call and its line. */
function drawPicked() {
  const it = state.picked;
  if (!it) return $("picked").replaceChildren();
  const [text, group, kind] = program().whats[it.what], [file, line] = program().sites[it.site];
  const length = it.to === Infinity ? "for ever" : plural(it.to - it.from, "cycle");
  $("picked").replaceChildren(h("p", { class: "card small" }, key(group), `${PROCESSORS[it.lane.processor]} of core ${coreName(it.core)} `,
    group === "busy" ? h("span", null, h("code", null, text), ` (${kind})`) : `waits: ${text}`, `, ${length} from cycle ${count(it.from)}`,
    file ? h("span", null, " at ", link(`${fileName(file)}:${line}`, () => showLine(file, line), file)) : ""));
}
