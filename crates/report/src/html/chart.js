// The canvas of the timeline: rows of processors and of circular buffers, marks, and the pointer.

const AXIS = 22, RING = 30;
const labelWidth = () => Math.min(128, Math.max(92, $("timeline").clientWidth / 8));

/** The rows of the chart with their places. Many cores have thin rows, and no buffers. */
function rowsOf() {
  const cores = shownCores(), isOne = cores.length === 1;
  const lane = isOne ? 22 : cores.length <= 4 ? 16 : cores.length <= 12 ? 9 : 4;
  const rows = [];
  let y = AXIS;
  for (const it of cores) {
    if (!isOne) {
      rows.push({ kind: "title", core: it, y, tall: lane >= 9 ? 14 : 2 });
      y += lane >= 9 ? 15 : 2;
    }
    for (const one of it.lanes) {
      rows.push({ kind: "lane", core: it, lane: one, y, tall: lane - (lane > 8 ? 4 : 1), named: lane >= 16 });
      y += lane;
    }
    y += isOne ? 8 : 3;
    if (isOne) for (const ring of it.rings) {
      rows.push({ kind: "ring", core: it, ring, y, tall: RING - 8 });
      y += RING;
    }
  }
  return { rows, height: y };
}

function chart(canvas) {
  const { rows, height } = rowsOf(), width = canvas.clientWidth, left = labelWidth(), plot = width - left;
  const context = sharp(canvas, width, height);
  const first = state.from * total(), last = state.to * total();
  const x = (cycle) => left + (Math.min(cycle, last) - first) / (last - first) * plot;
  const view = { context, first, last, x, plot, left, height, is: matcher() };
  context.font = "11px " + colour("mono");
  context.textBaseline = "middle";
  axis(view);
  const names = shortened(rows.filter((row) => row.kind === "ring").map((row) => row.ring.name), Math.floor(left / 7));
  canvas.dataset.labels = [...names.values()].join(" ");
  const paint = Object.fromEntries(GROUPS.map((group) => [group, colour(group)]));
  for (const row of rows) {
    if (row.kind === "title") label(view, row.tall > 2 ? `core ${coreName(row.core)}` : coreName(row.core), row.y + (row.tall > 2 ? row.tall / 2 : 12), true);
    else if (row.kind === "lane") drawLane(view, row, paint);
    else drawRing(view, row, names);
  }
  if (state.range) shade(view);
  if (program().is_stuck) forEver(context, Math.max(left, x(program().cycles)), width, height);
  for (const it of moments().filter(({ cycle }) => cycle >= first && cycle <= last)) {
    context.fillStyle = colour("bad");
    context.fillRect(Math.round(x(it.cycle)) - 1, AXIS - 5, 2, height - AXIS + 5);
  }
}

function label({ context }, text, y, isSoft) {
  context.fillStyle = colour(isSoft ? "soft" : "ink");
  context.fillText(text, 0, y);
}

// Ink for text on a colour `#rrggbb`: dark on light ones.
function inkOn(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return 0.3 * red + 0.59 * green + 0.11 * blue > 125 ? "#14181a" : "#ffffff";
}

function drawLane(view, row, paint) {
  const { context, first, last, x, plot, left, is } = view, { lane, y, tall } = row;
  if (row.named) label(view, PROCESSORS[lane.processor], y + tall / 2);
  context.fillStyle = colour("idle");
  context.fillRect(left, y, plot, tall);
  eachSlice(lane, (what, site, from, to) => {
    if (to <= first || from >= last) return;
    const [text, group] = program().whats[what], begin = x(Math.max(from, first)), wide = Math.max(0.6, x(to) - begin);
    context.globalAlpha = is && !is(what, site) ? 0.18 : 1;
    context.fillStyle = paint[group];
    context.fillRect(begin, y, wide > 3 ? wide - 0.5 : wide, tall);
    if (tall >= 12 && wide > 7 * 4) {
      context.fillStyle = inkOn(paint[group]);
      const room = Math.floor((wide - 6) / 6.8);
      context.fillText(text.length > room ? text.slice(0, Math.max(0, room - 1)) + "…" : text, begin + 3, y + tall / 2 + 0.5);
    }
  });
  context.globalAlpha = 1;
  const picked = state.picked;
  if (picked && picked.lane === lane && picked.to > first && picked.from < last) {
    context.strokeStyle = colour("ink");
    context.lineWidth = 2;
    const begin = x(Math.max(picked.from, first));
    context.strokeRect(begin, y, Math.max(2, x(picked.to) - begin), tall);
  }
}

function drawRing(view, { ring, y, tall }, names) {
  const { context, first, last, x, plot, left } = view;
  label(view, names.get(ring.name), y + tall / 2 - 5);
  context.save();
  context.font = "10px " + colour("mono");
  label(view, `${ring.most} of ${ring.pages}`, y + tall / 2 + 7, true);
  context.restore();
  context.fillStyle = colour("idle");
  context.fillRect(left, y, plot, tall);
  context.fillStyle = colour("accent");
  context.globalAlpha = 0.55;
  eachLevel(ring, (pages, from, to) => {
    if (to <= first || from >= last || pages === 0) return;
    const begin = x(Math.max(from, first)), high = Math.min(1, pages / ring.pages) * tall;
    context.fillRect(begin, y + tall - high, Math.max(0.5, x(to) - begin), high);
  });
  context.globalAlpha = 1;
}

function axis({ context, first, last, x, left, plot, height }) {
  // As many labels as have room, at 1, 2 or 5 times a power of ten.
  const least = (last - first) / Math.max(1, Math.floor(plot / 84)), step = 10 ** Math.floor(Math.log10(least));
  const by = step * [1, 2, 5, 10].find((it) => it * step >= least);
  context.textAlign = "center";
  for (let cycle = Math.ceil(first / by) * by; cycle <= last; cycle += by) {
    context.fillStyle = colour("line");
    context.fillRect(Math.round(x(cycle)), AXIS - 5, 1, height - AXIS + 5);
    context.fillStyle = colour("soft");
    if (x(cycle) > left + 16 && x(cycle) < x(last) - 18) context.fillText(count(cycle), x(cycle), 8);
  }
  context.textAlign = "left";
}

/** The range that is measured. */
function shade({ context, x, left, height }) {
  const [from, to] = state.range.map((cycle) => Math.max(left, x(cycle)));
  context.fillStyle = colour("accent");
  context.globalAlpha = 0.16;
  context.fillRect(from, AXIS - 5, to - from, height - AXIS + 5);
  context.globalAlpha = 1;
  context.fillRect(from, AXIS - 5, 1, height - AXIS + 5);
  context.fillRect(to - 1, AXIS - 5, 1, height - AXIS + 5);
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

/** What is under the pointer: a row, a cycle, and of a lane the slice. */
function under(canvas, event) {
  const left = labelWidth(), at = (event.offsetX - left) / Math.max(1, canvas.clientWidth - left);
  const cycle = (state.from + at * (state.to - state.from)) * total();
  const row = rowsOf().rows.find((it) => event.offsetY >= it.y && event.offsetY < it.y + it.tall + 2);
  let slice = null;
  if (at >= 0 && row?.kind === "lane") eachSlice(row.lane, (what, site, from, to) => {
    if (cycle >= from && cycle < to) slice = { core: row.core, lane: row.lane, what, site, from, to };
  });
  return { at, cycle, row, slice };
}

function describe(canvas, event) {
  const { at, cycle, row, slice } = under(canvas, event);
  if (at < 0 || event.offsetY < AXIS) return row?.kind === "ring" ? row.ring.name : "";
  const near = 4 / Math.max(1, canvas.clientWidth) * (state.to - state.from) * total();
  const found = moments().filter((it) => Math.abs(it.cycle - cycle) <= near);
  if (found.length) return found.map((it) => `${it.id}\ncycle ${count(it.cycle)}`).join("\n");
  if (slice) {
    const [text, group, kind] = program().whats[slice.what], place = placeOf(slice.site);
    const length = slice.to === Infinity ? "for ever" : plural(slice.to - slice.from, "cycle");
    const core = shownCores().length > 1 ? ` of ${coreName(slice.core)}` : "";
    return `${PROCESSORS[slice.lane.processor]}${core} ${group === "busy" ? `works: ${text} (${kind})` : `waits: ${text}`}\n${length} from ${count(slice.from)}${place ? `\n${place}` : ""}`;
  }
  if (row?.kind === "lane") return `${PROCESSORS[row.lane.processor]}: ` + (row.lane.finished !== null && cycle >= row.lane.finished ? "has finished" : "idle");
  if (row?.kind !== "ring") return "";
  let text = row.ring.name;
  eachLevel(row.ring, (pages, from, to) => {
    if (cycle >= from && cycle < to) text = `${row.ring.name}: ${pages} of ${plural(row.ring.pages, "page")}\nfrom ${count(from)}`;
  });
  return text;
}

function steer(canvas) {
  let drag = null;
  const share = (event) => Math.min(1, Math.max(0, (event.offsetX - labelWidth()) / Math.max(1, canvas.clientWidth - labelWidth())));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, share(event));
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoom(0.4, share(event)));
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, from: state.from, cycle: under(canvas, event).cycle, isRange: event.shiftKey, moved: false };
    if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) {
      state.picked = under(canvas, event).slice;
      drawCharts();
    }
    drag = null;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return tip(event, describe(canvas, event));
    drag.moved = drag.moved || Math.abs(event.clientX - drag.x) > 3;
    if (drag.isRange) {
      const ends = [drag.cycle, under(canvas, event).cycle].map((cycle) => Math.round(Math.min(Math.max(0, cycle), program().cycles)));
      state.range = ends[0] === ends[1] ? null : ends.sort((a, b) => a - b);
      return drawCharts();
    }
    const span = state.to - state.from;
    if (drag.moved) look(drag.from - (event.clientX - drag.x) / (canvas.clientWidth - labelWidth()) * span, span);
  });
  canvas.addEventListener("pointerleave", () => tip(null, ""));
  canvas.addEventListener("keydown", (event) => {
    const span = state.to - state.from;
    const keys = { ArrowLeft: () => look(state.from - span / 8, span), ArrowRight: () => look(state.from + span / 8, span),
      "+": () => zoom(0.5), "-": () => zoom(2), 0: () => look(0, 1) };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
}
