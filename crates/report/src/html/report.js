// Draws the page from the JSON in #data. No library, no request; `data.rs` describes the fields.
// Runs in one function with `timeline.js`, which comes first.
const data = JSON.parse(document.getElementById("data").textContent);
const PROCESSORS = ["reader", "unpack", "math", "pack", "writer"];
const GROUPS = ["busy", "pages", "space", "barrier", "semaphore", "Dst", "operands"];
const state = { program: 0, core: 0, from: 0, to: 1 };

// ---- small things -------------------------------------------------------------------------

const $ = (id) => document.getElementById(id);

/** An element with attributes and children; texts are never markup. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const count = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
const percent = (part, whole) => whole > 0 ? (100 * part / whole).toFixed(1) + "\u202f%" : "–";
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
const bytes = (n) => n < 1024 ? `${n} B` : n < 1048576 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1048576).toFixed(1)} MiB`;
const figure = (value) => typeof value !== "number" ? String(value ?? "–")
  : value === 0 ? "0" : Number(value.toPrecision(3)).toString();
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name.toLowerCase()).trim();
const key = (group) => h("i", { class: "key", style: { background: `var(--${group.toLowerCase()})` } });

/** A table: a head, rows, and the columns that hold numbers. */
function table(head, rows, numbers) {
  const cell = (tag) => (content, column) =>
    h(tag, { class: numbers.includes(column) ? "num" : null }, content);
  const body = rows.map((row) => h("tr", null, row.map(cell("td"))));
  return h("div", { class: "scroll" },
    h("table", null, h("thead", null, h("tr", null, head.map(cell("th")))), h("tbody", null, body)));
}

/** A table below its title; nothing if it has no rows. */
const titled = (title, head, rows, numbers) =>
  rows.length ? h("div", null, h("h3", null, title), table(head, rows, numbers)) : null;

function tip(event, text) {
  const box = $("tip");
  box.style.display = text ? "block" : "none";
  if (!text) return;
  box.textContent = text;
  const { offsetWidth: width, offsetHeight: height } = box;
  box.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 6)) + "px";
  box.style.top = Math.max(4, event.clientY + 18 + height > innerHeight
    ? event.clientY - height - 10 : event.clientY + 18) + "px";
}

/** A canvas context that is sharp on this screen, `width` by `height` in CSS pixels. */
function sharp(canvas, width, height) {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

// ---- verdict, findings, outputs -------------------------------------------------------------

function drawTop() {
  const { run } = data, { request } = run;
  const choices = Object.entries(request.choices).map(([name, value]) => `${name} ${value}`);
  const facts = [
    ["simulated", `${plural(run.cycles, "cycle")} (estimate)`],
    ["input", `${plural(run.tiles, "tile")}, ${request.input}`],
    ["cores", `${data.programs.map((program) => program.cores.length).join(" + ")} of ${data.grid[0] * data.grid[1]}`],
    ["Dst", `${request.dst_bits} bits, ${request.dst_sync} sync, ${request.fidelity}`],
    ["network", request.noc],
    ["seed", String(run.seed)],
    ["digest", run.digest],
  ];
  if (choices.length) facts.splice(2, 0, ["choices", choices.join(", ")]);
  $("top").append(
    h("div", { class: "soft small" }, "tilewright report"),
    h("h1", null, `${request.operation} ${request.shape} ${request.format}`),
    h("p", null, h("span", { class: "verdict " + run.verdict }, run.verdict), data.reason),
    ...run.notes.map((note) => h("p", { class: "soft small" }, note)),
    h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))),
    h("code", { class: "replay" }, run.replay));
}

const BLAME = { "kernel-bug": "kernel bug", "host-bug": "host program bug", "not-modelled": "not modelled", "simulator-bug": "simulator bug" };

function drawFindings() {
  const { findings } = data.run;
  $("findings").append(...(findings.length ? findings.map(finding)
    : [h("p", { class: "soft" }, "None: nothing that was watched for has happened.")]));
  const { printed = [], zones = [] } = data.run;
  if (printed.length) $("findings").append(h("h3", null, "What kernels printed"), h("div", { class: "card mono" },
    printed.map((it) => h("div", null, `${it.processor ?? it.source} ${it.core ?? ""} | `,
      it.omitted_lines ? `… ${plural(it.omitted_lines, "more line")}` : it.text))));
  if (zones.length) $("findings").append(h("h3", null, "Zones of kernels"), h("div", { class: "card mono" },
    zones.map((it) => h("div", null, `${it.name}: ${it.processor} ${it.core}, cycles ${it.begin} to ${it.end ?? "…"}`))));
}

function finding(found) {
  const steps = found.marks.filter((mark) => mark.processor).length;
  let step = 0;
  const places = found.marks.flatMap((mark) => {
    const number = mark.processor && steps > 1 ? `(${++step}) ` : "";
    const callers = mark.called_from.map((caller) => place({ ...caller, role: "called from here" }, number));
    return [place(mark, number), ...callers];
  });
  const cores = found.count > 1 ? `; ${plural(found.count - 1, "more core")} at the same place` : "";
  const moment = momentOf(found);
  return h("article", { class: "card finding" },
    h("h3", null, h("code", null, found.id), "  ", found.title),
    found.help ? h("p", { class: "help" }, h("b", null, "help: "), found.help) : null,
    moment ? h("button", { class: "link", onclick: () => showMoment(moment) },
      `show cycle ${count(moment.cycle)} of core (${moment.x},${moment.y}) on the timeline`) : null,
    places,
    h("ul", { class: "small" },
      found.program ? h("li", null, "program: ", found.program) : null,
      found.facts.map((fact) => h("li", null, fact)),
      found.consequences.map((other) => h("li", null, "and so: ", other)),
      h("li", null, "blame: ", BLAME[found.blame] + cores)),
    found.replay ? h("code", { class: "replay" }, found.replay) : null);
}

/** When and where a finding was made, as far as the timeline shows it. */
function momentOf(found) {
  const fact = found.facts.map((text) => /^cycle ([\d_]+)/.exec(text)).find(Boolean);
  const mark = found.marks.find((it) => it.core);
  const place = mark && /\((\d+),(\d+)\)/.exec(mark.core);
  if (!fact || !place) return null;
  const program = Math.max(0, data.programs.findIndex((it) => it.name === found.program));
  const [x, y] = place.slice(1).map(Number);
  const core = data.programs[program]?.cores.findIndex((it) => it.x === x && it.y === y) ?? -1;
  const cycle = Number(fact[1].replaceAll("_", ""));
  return core < 0 ? null : { program, core, x, y, cycle, id: found.id };
}

/** Selects the program and core of a moment, and the cycles around it. */
function showMoment({ program, core, cycle }) {
  Object.assign(state, { program, core });
  const span = Math.min(1, Math.max(0.1, 40 / total()));
  state.from = Math.min(Math.max(0, cycle / total() - span / 2), 1 - span);
  state.to = state.from + span;
  drawProgram();
  $("time").scrollIntoView({ behavior: "smooth" });
}

/** A marked line with its neighbours, or its place alone if the file could not be read. */
function place(mark, step) {
  const source = data.sources.find((source) => source.file === mark.file);
  const near = source ? source.lines.filter(([number]) => Math.abs(number - mark.line) <= 2) : [];
  const role = h("div", { class: "role" }, "↑ " + step + mark.role);
  const indents = near.filter(([, text]) => text.trim()).map(([, text]) => text.search(/\S/));
  const lines = near.flatMap(([number, whole]) => {
    const text = whole.slice(Math.min(...indents));
    const line = h("div", { class: number === mark.line ? "hit" : null }, h("span", { class: "no" }, String(number)), text);
    return number === mark.line ? [line, role] : [line];
  });
  const where = mark.file ? `${mark.file}:${mark.line}:${mark.column}` : "";
  const who = mark.core ? `${mark.processor} on core ${mark.core}` : "";
  return h("div", { class: "place" },
    h("div", { class: "file mono" }, [where, who].filter(Boolean).join(" · ")),
    lines.length ? h("div", { class: "source mono" }, lines) : h("div", { class: "small" }, step + mark.role));
}

function drawOutputs() {
  const outputs = Object.entries(data.run.outputs);
  if (!outputs.length) {
    $("outputs").append(h("p", { class: "soft" }, "Not judged: what a run that ended early left behind means nothing."));
    return;
  }
  const row = ([name, output]) => [h("code", null, name), output.shape.join("×"), figure(output.max_abs_error),
    figure(output.mean_abs_error), figure(output.worst_ratio), output.in_bound ? "inside" : "outside",
    count(output.judged) + (output.unjudged ? ` (${count(output.unjudged)} not)` : "")];
  $("outputs").append(
    table(["output", "shape", "max error", "mean error", "worst error/bound", "bounds", "judged"], outputs.map(row), [2, 3, 4, 6]),
    h("h3", null, "Worst error/bound by tile"),
    h("div", { class: "maps" }, data.heat.map(heat)),
    scale());
}

/** How strong a ratio of error to bound is drawn: three decades below the bound are pale. */
const strength = (ratio) => ratio > 0 ? 0.08 + 0.92 * Math.max(0, 1 + Math.log10(Math.min(1, ratio)) / 3) : 0.08;

/** The legend of the heat maps. */
function scale() {
  const step = (text, paint, opacity) => h("span", null,
    h("i", { class: "key", style: { background: `var(--${paint})`, opacity } }), text);
  const below = [0.001, 0.01, 0.1, 1].map((ratio) => step(figure(ratio), "accent", strength(ratio)));
  return h("div", { class: "legend" }, "error/bound:", ...below, step("beyond the bound", "bad", 1), step("not judged", "idle", 0.6));
}

function heat(map) {
  const side = Math.max(3, Math.min(22, Math.floor(420 / Math.max(map.columns, map.rows))));
  const canvas = h("canvas", { role: "img", "aria-label": `${map.name}: worst error over bound by tile` });
  const draw = () => {
    canvas.style.width = map.columns * side + "px";
    const context = sharp(canvas, map.columns * side, map.rows * side);
    canvas.style.height = "auto";
    map.ratios.forEach((ratio, cell) => {
      const value = ratio === null ? null : Number(ratio);
      context.fillStyle = value === null ? colour("idle") : value > 1 ? colour("bad") : colour("accent");
      context.globalAlpha = value === null ? 0.4 : value > 1 ? 1 : strength(value);
      context.fillRect(cell % map.columns * side, Math.floor(cell / map.columns) * side, side - (side > 3 ? 1 : 0), side - (side > 3 ? 1 : 0));
    });
  };
  redraws.push(draw);
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * map.columns);
    const row = Math.floor((event.clientY - box.top) / box.height * map.rows);
    const ratio = map.ratios[row * map.columns + column];
    const tiles = map.cell_tiles > 1 ? `${map.cell_tiles}×${map.cell_tiles} tiles from ` : "tile ";
    tip(event, ratio === undefined ? "" : `${map.name} ${tiles}row ${row * map.cell_tiles}, column ${column * map.cell_tiles}\n`
      + (ratio === null ? "not judged" : `worst error/bound ${figure(ratio)}`));
  });
  canvas.addEventListener("pointerleave", () => tip(null, ""));
  const size = map.cell_tiles > 1 ? `, ${map.cell_tiles}×${map.cell_tiles} tiles a cell` : "";
  return h("div", { class: "map" }, h("div", { class: "small" }, h("code", null, map.name), h("span", { class: "soft" }, ` ${map.rows}×${map.columns}${size}`)), canvas);
}

// ---- cycles, dataflow, L1, costs -------------------------------------------------------------

function drawCycles() {
  const { whats } = program();
  const rows = PROCESSORS.flatMap((name, processor) => {
    const lanes = program().cores.flatMap((it) => it.lanes.filter((lane) => lane.processor === processor));
    if (!lanes.length) return [];
    const sums = Object.fromEntries(GROUPS.map((group) => [group, 0]));
    lanes.forEach((lane) => lane.totals.forEach(([what, cycles]) => { sums[whats[what][1]] += cycles; }));
    const all = lanes.length * program().cycles;
    const idle = all - Object.values(sums).reduce((sum, cycles) => sum + cycles, 0);
    const bar = h("div", { class: "stack" }, GROUPS.map((group) =>
      h("i", { style: { width: 100 * sums[group] / all + "%", background: `var(--${group.toLowerCase()})` } })));
    return [[name, lanes[0].kernel, bar, ...GROUPS.map((group) => sums[group] ? percent(sums[group], all) : "–"), percent(idle, all)]];
  });
  const head = ["processor", "kernel", "", ...GROUPS, "idle"];
  const wait = ([processor, what, place, cycles, times]) => [PROCESSORS[processor],
    h("span", null, key(whats[what][1]), whats[what][0]), h("code", null, place), count(cycles), count(times), count(cycles / times)];
  const move = ([processor, kind, far, times, size, cycles]) =>
    [PROCESSORS[processor], `${kind}, ${far}`, count(times), bytes(size), count(cycles / times)];
  $("cycles").replaceChildren(h("h2", null, "Where the cycles went"),
    h("p", { class: "soft small" }, `${plural(program().cores.length, "core")}, ${plural(program().cycles, "cycle")} each; shares of that time. Cycles are estimates.`),
    table(head, rows, [3, 4, 5, 6, 7, 8, 9, 10]),
    h("div", { class: "columns" },
      titled("Longest waits by line", ["processor", "waits for", "at", "cycles", "times", "mean"], program().waits.map(wait), [3, 4, 5]),
      h("div", null, work(whats),
        titled("Transfers", ["processor", "what", "times", "bytes", "mean cycles"], program().transfers.map(move), [2, 3, 4]))));
}

/** Where working processors spend their time, over all cores. */
function work(whats) {
  const sums = new Map();
  for (const it of program().cores) for (const lane of it.lanes) for (const [what, cycles, times] of lane.totals) {
    if (whats[what][1] !== "busy") continue;
    const sum = sums.get(what) || [0, 0];
    sums.set(what, [sum[0] + cycles, sum[1] + times]);
  }
  const all = [...sums.values()].reduce((sum, [cycles]) => sum + cycles, 0);
  const rows = [...sums].sort((a, b) => b[1][0] - a[1][0])
    .map(([what, [cycles, times]]) => [whats[what][0], count(cycles), percent(cycles, all), count(times)]);
  return titled("Work by kind", ["kind", "cycles", "of work", "times"], rows, [1, 2, 3]);
}

function drawFlow() {
  const { kernels, buffers, edges } = program().graph;
  const nodes = new Map();
  const add = (id, column, name, sub, kind) => nodes.set(id, { id, column, name, sub, kind });
  const ends = (id) => [edges.filter((edge) => edge.to === id).map((edge) => edge.from), edges.filter((edge) => edge.from === id).map((edge) => edge.to)];
  const role = (id) => id && id[0] === "k" ? kernels[id.slice(1)].role : "";
  kernels.forEach((kernel, index) => add("k" + index, { reader: 1, compute: 3, writer: 5 }[kernel.role],
    kernel.name, `${kernel.role}, ${plural(kernel.cores, "core")}`, "kernel"));
  const unused = [];
  buffers.forEach((buffer, index) => {
    const [from, to] = ends("b" + index).map((ids) => ids.map(role));
    if (!from.length && !to.length) return unused.push(buffer.name);
    const column = from.includes("reader") && !to.includes("writer") ? 2
      : to.includes("writer") && !from.includes("reader") ? 4 : 3;
    add("b" + index, column, buffer.name, `${buffer.pages} × ${bytes(buffer.page_bytes)}`, "buffer");
  });
  // A memory that is read and written stands at both sides.
  for (const memory of ["DRAM", "other L1"]) {
    if (edges.some((edge) => edge.from === memory)) add(memory, 0, memory, "read", "memory");
    if (edges.some((edge) => edge.to === memory)) add(memory + ">", 6, memory, "written", "memory");
  }
  const named = edges.map((edge) => nodes.has(edge.to + ">") ? { ...edge, to: edge.to + ">" } : edge);
  $("flow").replaceChildren(h("h2", null, "Dataflow"),
    h("p", { class: "soft small" }, "Who filled and drained what, learnt from the run, over all cores. Dashed: nothing went there. Red: somebody waits for ever."),
    h("div", { class: "scroll card" }, picture(nodes, named)),
    unused.length ? h("p", { class: "soft small" }, "Nobody has used ", h("code", null, unused.join(", ")), ".") : "");
}

const NODE = { width: 132, height: 36, gap: 12, column: 176 };

function picture(nodes, edges) {
  const columns = [...new Set([...nodes.values()].map((node) => node.column))].sort((a, b) => a - b);
  let tallest = 0;
  columns.forEach((column, place) => {
    const here = [...nodes.values()].filter((node) => node.column === column);
    here.forEach((node, row) => { node.x = place * NODE.column; node.row = row; });
    tallest = Math.max(tallest, here.length);
  });
  const height = tallest * (NODE.height + NODE.gap), svg = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  for (const column of columns) {
    const here = [...nodes.values()].filter((node) => node.column === column);
    const top = (height - here.length * (NODE.height + NODE.gap) + NODE.gap) / 2;
    here.forEach((node) => { node.y = top + node.row * (NODE.height + NODE.gap); });
  }
  const width = columns.length * NODE.column - (NODE.column - NODE.width) + 44;
  const root = svg("svg", { width, height, viewBox: `-2 0 ${width} ${height}`, role: "img", "aria-label": "Kernels, buffers and memories" });
  for (const edge of edges) root.append(wire(nodes.get(edge.from), nodes.get(edge.to), edge, svg));
  for (const node of nodes.values()) {
    const short = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
    root.append(svg("g", {}, svg("title", {}, `${node.name}: ${node.sub}`),
      svg("rect", { class: node.kind, x: node.x, y: node.y, width: NODE.width, height: NODE.height, rx: node.kind === "buffer" ? 3 : 9 }),
      svg("text", { x: node.x + 10, y: node.y + 15 }, short(node.name, 15)),
      svg("text", { class: "sub", x: node.x + 10, y: node.y + 29 }, short(node.sub, 18))));
  }
  return root;
}

/** A curve from a node's right side to another's left; to and from its own column, around the side. */
function wire(from, to, edge, svg) {
  const [ay, by] = [from.y + NODE.height / 2, to.y + NODE.height / 2];
  const amount = edge.unit === "bytes" ? bytes(edge.amount)
    : (edge.amount ? plural(edge.amount, "page") : "none popped") + (edge.stuck ? `; waits for ever on ${plural(edge.stuck, "core")}` : "");
  let path;
  if (to.x > from.x) {
    const [ax, bx] = [from.x + NODE.width, to.x], middle = (bx - ax) / 2;
    path = `M${ax} ${ay} C${ax + middle} ${ay} ${bx - middle} ${by} ${bx} ${by}`;
  } else {
    const side = (to.kind === "buffer" ? NODE.width : 0), out = side ? 26 : -22;
    path = `M${from.x + side} ${ay} C${from.x + side + out} ${ay} ${to.x + side + out} ${by} ${to.x + side} ${by}`;
  }
  const width = Math.min(4, 1 + Math.log10(1 + edge.amount / (edge.unit === "bytes" ? 2048 : 1)) / 1.5);
  return svg("path", { class: edge.stuck ? "stuck" : "", d: path, style: `stroke-width:${width.toFixed(1)}`, "stroke-dasharray": edge.amount ? "none" : "3 3" }, svg("title", {}, `${from.name} → ${to.name}: ${amount}`));
}

function drawMemory() {
  const it = core(), { bytes: size, base, lowest } = data.l1;
  const parts = [{ name: "firmware, mailboxes, kernels", from: 0, to: base, paint: "var(--operands)" }];
  for (const ring of [...it.rings].sort((a, b) => a.base - b.base)) {
    parts.push({ name: ring.name, from: ring.base, to: ring.base + ring.page_bytes * ring.pages, ring, paint: "var(--busy)" });
  }
  if (lowest < size) parts.push({ name: "tensors in L1", from: lowest, to: size, paint: "var(--space)" });
  const bar = [];
  let at = 0;
  parts.forEach((part, index) => {
    if (part.from > at) bar.push(h("i", { style: { width: 100 * (part.from - at) / size + "%", borderRight: "0" } }));
    const from = Math.max(part.from, at);
    if (part.to > from) bar.push(h("i", {
      style: { width: 100 * (part.to - from) / size + "%", background: part.paint, opacity: index % 2 ? "1" : ".78" },
      onpointermove: (event) => tip(event, `${part.name}\n${bytes(part.to - part.from)} from ${part.from}`), onpointerleave: () => tip(null, ""),
    }));
    at = Math.max(at, part.to);
  });
  const used = it.rings.reduce((end, ring) => Math.max(end, ring.base + ring.page_bytes * ring.pages), base);
  const row = ({ ring }) => [h("code", null, ring.name), `c_${ring.id}`, count(ring.base), `${ring.pages} × ${bytes(ring.page_bytes)}`,
    ring.format, bytes(ring.pages * ring.page_bytes), `${ring.most} of ${ring.pages}`, h("code", { class: "soft" }, ring.place)];
  $("memory").replaceChildren(h("h2", null, `L1 of core (${it.x},${it.y})`),
    h("div", { class: "l1" }, bar),
    h("p", { class: "soft small" }, `${bytes(size)} in all; ${bytes(used - base)} in circular buffers, ${bytes(lowest - used)} free.`),
    table(["buffer", "index", "address", "pages", "format", "bytes", "most used", "declared at"], parts.filter((part) => part.ring).map(row), [2, 3, 5, 6]));
}

function drawCosts() {
  const row = (cost) => [cost.name, `${cost.value}`, cost.unit, cost.evidence, h("span", { class: "wrap" }, cost.text)];
  $("costs").append(
    h("p", { class: "small" }, "Every cycle in this report is an estimate, made of the figures below: documented rates and measured latencies where there are any. Contention for DRAM, for links and for banks of L1 is not modelled."),
    h("details", null, h("summary", null, `${data.costs.length} figures and where they come from`),
      table(["step", "", "", "", "source"], data.costs.map(row), [1])));
}

function drawProgram() {
  drawPrograms();
  drawCores();
  drawTimeline();
  drawCycles();
  drawFlow();
  drawMemory();
}

redraws.push(() => {});
drawTop();
drawFindings();
drawOutputs();
// What is wrong is looked at first.
const guilty = data.run.findings.map((found) => data.programs.findIndex((it) => it.name === found.program));
state.program = guilty.find((index) => index >= 0) ?? 0;
if (data.programs.length) drawProgram();
drawCosts();
const redraw = () => redraws.forEach((draw) => draw());
redraw();
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
document.documentElement.dataset.drawn = "yes";
