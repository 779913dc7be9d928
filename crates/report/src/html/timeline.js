// Programs, cores and the chart of a core's time. Runs in one function with `report.js`, which has
// the data and the helpers.

const redraws = [];
const program = () => data.programs[state.program];
const core = () => program().cores[state.core];

function drawPrograms() {
  const tabs = data.programs.map((it, index) => h("button", {
    role: "tab", "aria-selected": String(index === state.program),
    onclick: () => { Object.assign(state, { program: index, core: 0, from: 0, to: 1 }); drawProgram(); },
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
  for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) {
    const index = program().cores.findIndex((it) => it.x === x && it.y === y);
    const share = index < 0 ? 0 : waiting(program().cores[index]);
    const name = `core (${x},${y})` + (index < 0 ? ": idle" : `: waits ${percent(share, 1)} of its time`);
    buttons.push(h("button", {
      "aria-label": name, "aria-pressed": String(index === state.core), disabled: index < 0 ? "" : null,
      style: index < 0 ? {} : { background: `color-mix(in srgb, var(--idle) ${Math.round(90 * share)}%, var(--busy))` },
      onclick: () => { state.core = index; drawProgram(); },
      onpointermove: (event) => tip(event, name), onpointerleave: () => tip(null, ""),
    }));
  }
  $("cores").replaceChildren(
    h("div", { class: "grid", style: { gridTemplateColumns: `repeat(${columns}, max-content)` } }, buttons),
    h("p", { class: "soft small" }, "the stronger, the less it waits"));
}

const LABEL = 92, LANE = 22, RING = 30, AXIS = 22;

function drawTimeline() {
  const it = core(), canvas = h("canvas", { class: "chart", tabindex: "0", role: "img",
    "aria-label": "What each processor did, and how full each circular buffer was, over simulated time" });
  const zoom = (factor, at = 0.5) => {
    const span = Math.min(1, Math.max((state.to - state.from) * factor, 20 / total()));
    const centre = state.from + (state.to - state.from) * at;
    look(centre - span * at, span, draw);
  };
  const draw = () => chart(canvas, it);
  const buttons = [["−", "zoom out", () => zoom(2)], ["+", "zoom in", () => zoom(0.5)],
    ["whole run", "show the whole run", () => look(0, 1, draw)]];
  const grains = it.lanes.map((lane) => lane.grain).filter((grain) => grain > 0);
  $("timeline").replaceChildren(
    h("div", { class: "bar" }, h("b", null, `core (${it.x},${it.y})`),
      buttons.map(([text, label, onclick]) => h("button", { "aria-label": label, onclick }, text)),
      h("span", { class: "soft small" }, "drag to pan; Ctrl and wheel, or double-click, to zoom")),
    canvas,
    h("div", { class: "legend" }, GROUPS.map((group) => h("span", null, key(group), group === "busy" ? "works" : "waits: " + group))),
    grains.length ? h("p", { class: "soft small" },
      `Slices within ${count(Math.max(...grains))} cycles of one another are drawn as the longest of them; totals are exact.`) : "");
  redraws[0] = draw;
  steer(canvas, it, draw, zoom);
  draw();
}

/** All cycles that the chart covers; a run that is stuck waits on for ever, and a strip shows it. */
const total = () => Math.max(1, program().cycles) * (program().is_stuck ? 1.08 : 1);

function look(from, span, draw) {
  state.from = Math.min(Math.max(0, from), 1 - span);
  state.to = state.from + span;
  draw();
}

function steer(canvas, it, draw, zoom) {
  let drag = null;
  const at = (event) => (event.offsetX - LABEL) / Math.max(1, canvas.clientWidth - LABEL);
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, Math.min(1, Math.max(0, at(event))));
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoom(0.4, Math.min(1, Math.max(0, at(event)))));
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, from: state.from };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return tip(event, describe(it, at(event), event.offsetY));
    const span = state.to - state.from;
    look(drag.from - (event.clientX - drag.x) / (canvas.clientWidth - LABEL) * span, span, draw);
  });
  canvas.addEventListener("pointerleave", () => tip(null, ""));
  canvas.addEventListener("keydown", (event) => {
    const span = state.to - state.from;
    const keys = { ArrowLeft: () => look(state.from - span / 8, span, draw), ArrowRight: () => look(state.from + span / 8, span, draw),
      "+": () => zoom(0.5), "-": () => zoom(2), 0: () => look(0, 1, draw) };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
}

/** Calls `see` with what and the cycles from and to of each slice of a lane. */
function eachSlice(lane, see) {
  let cycle = lane.begun;
  for (let i = 0; i < lane.slices.length; i += 2) {
    see(lane.slices[i], cycle, cycle + lane.slices[i + 1]);
    cycle += lane.slices[i + 1];
  }
  if (lane.stuck !== null) see(lane.stuck, cycle, Infinity);
}

function eachLevel(ring, see) {
  let cycle = 0;
  for (let i = 0; i < ring.levels.length; i += 2) {
    cycle += ring.levels[i];
    see(ring.levels[i + 1], cycle, i + 2 < ring.levels.length ? cycle + ring.levels[i + 2] : Infinity);
  }
}

const canvasWidth = () => Math.max(1, $("timeline").querySelector("canvas").clientWidth - LABEL);

function describe(it, x, y) {
  const cycle = (state.from + x * (state.to - state.from)) * total();
  const row = Math.floor((y - AXIS) / LANE);
  if (x < 0 || y < AXIS) return "";
  const near = 4 / canvasWidth() * (state.to - state.from) * total();
  const found = moments().filter((it) => Math.abs(it.cycle - cycle) <= near);
  if (found.length) return found.map((it) => `${it.id}\ncycle ${count(it.cycle)}`).join("\n");
  if (row < it.lanes.length) {
    const lane = it.lanes[row];
    let text = `${PROCESSORS[lane.processor]}: ` + (lane.finished !== null && cycle >= lane.finished ? "has finished" : "idle");
    eachSlice(lane, (what, from, to) => {
      if (cycle < from || cycle >= to) return;
      const [name, group] = program().whats[what];
      const length = to === Infinity ? "for ever" : plural(to - from, "cycle");
      text = `${PROCESSORS[lane.processor]} ${group === "busy" ? "works" : "waits, " + name}\n${length} from ${count(from)}`;
    });
    return text;
  }
  const ring = it.rings[Math.floor((y - AXIS - it.lanes.length * LANE - 8) / RING)];
  let text = "";
  if (ring) eachLevel(ring, (pages, from, to) => {
    if (cycle >= from && cycle < to) text = `${ring.name}: ${pages} of ${plural(ring.pages, "page")}\nfrom ${count(from)}`;
  });
  return text;
}

function chart(canvas, it) {
  const width = canvas.clientWidth, plot = width - LABEL;
  const height = AXIS + it.lanes.length * LANE + 8 + it.rings.length * RING;
  const context = sharp(canvas, width, height);
  const first = state.from * total(), last = state.to * total();
  const x = (cycle) => LABEL + (Math.min(cycle, last) - first) / (last - first) * plot;
  const paint = Object.fromEntries(GROUPS.map((group) => [group, colour(group)]));
  context.font = "11px " + colour("mono");
  context.textBaseline = "middle";
  axis(context, first, last, x, height);
  const label = (text, y, soft) => {
    context.fillStyle = colour(soft ? "soft" : "ink");
    // Names that differ in the middle or at the end stay different.
    context.fillText(text.length > 13 ? text.slice(0, 6) + "…" + text.slice(-6) : text, 0, y);
  };
  it.lanes.forEach((lane, row) => {
    const y = AXIS + row * LANE;
    label(PROCESSORS[lane.processor], y + LANE / 2 - 2);
    context.fillStyle = colour("idle");
    context.fillRect(LABEL, y, plot, LANE - 5);
    eachSlice(lane, (what, from, to) => {
      if (to <= first || from >= last) return;
      const left = x(Math.max(from, first));
      context.fillStyle = paint[program().whats[what][1]];
      context.fillRect(left, y, Math.max(0.6, x(to) - left), LANE - 5);
    });
  });
  const top = AXIS + it.lanes.length * LANE + 8;
  it.rings.forEach((ring, row) => occupancy(context, ring, top + row * RING, { first, last, x, plot, label }));
  if (program().is_stuck) forEver(context, x(program().cycles), width, height);
  moments().filter(({ cycle }) => cycle >= first && cycle <= last).forEach(({ cycle }) => {
    context.fillStyle = colour("bad");
    context.fillRect(Math.round(x(cycle)) - 1, AXIS - 5, 2, height - AXIS + 5);
  });
}

/** What was found on the core that is shown. */
const moments = () => data.run.findings.map(momentOf)
  .filter((it) => it && it.program === state.program && it.core === state.core);

function axis(context, first, last, x, height) {
  const step = 10 ** Math.floor(Math.log10((last - first) / 2.5));
  const many = (last - first) / step;
  const by = step * (many > 16 ? 5 : many > 7 ? 2 : 1);
  context.textAlign = "center";
  for (let cycle = Math.ceil(first / by) * by; cycle <= last; cycle += by) {
    context.fillStyle = colour("line");
    context.fillRect(Math.round(x(cycle)), AXIS - 5, 1, height - AXIS + 5);
    context.fillStyle = colour("soft");
    if (x(cycle) > LABEL + 16 && x(cycle) < x(last) - 18) context.fillText(count(cycle), x(cycle), 8);
  }
  context.textAlign = "left";
}

function occupancy(context, ring, y, { first, last, x, plot, label }) {
  const room = RING - 8;
  label(ring.name, y + room / 2 - 5);
  context.save();
  context.font = "10px " + colour("mono");
  label(`${ring.most} of ${ring.pages}`, y + room / 2 + 7, true);
  context.restore();
  context.fillStyle = colour("idle");
  context.fillRect(LABEL, y, plot, room);
  context.fillStyle = colour("accent");
  context.globalAlpha = 0.55;
  eachLevel(ring, (pages, from, to) => {
    if (to <= first || from >= last || pages === 0) return;
    const left = x(Math.max(from, first)), tall = Math.min(1, pages / ring.pages) * room;
    context.fillRect(left, y + room - tall, Math.max(0.5, x(to) - left), tall);
  });
  context.globalAlpha = 1;
}

/** Marks the time after a run that is stuck. */
function forEver(context, left, right, height) {
  if (left >= right) return;
  context.save();
  context.beginPath();
  context.rect(left, AXIS, right - left, height);
  context.clip();
  context.strokeStyle = colour("bad");
  context.globalAlpha = 0.6;
  for (let at = left - height; at < right; at += 9) {
    context.beginPath();
    context.moveTo(at, height);
    context.lineTo(at + height, 0);
    context.stroke();
  }
  context.restore();
}
