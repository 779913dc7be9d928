// The page: verdict, findings, where the cycles went, dataflow, L1 and costs; and what draws it all.

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
    : [h("p", { class: "soft" }, "None.")]));
  const { printed = [], zones = [] } = data.run;
  const at = (it, cycle) => {
    const moment = momentAt(it.core, cycle);
    return moment ? link(`cycle ${count(cycle)}`, () => showMoment(moment)) : "";
  };
  if (printed.length) $("findings").append(h("h3", null, "What kernels printed"), h("div", { class: "card mono printed" },
    printed.map((it) => h("div", null, h("span", { class: "soft" }, `${it.processor ?? it.source} ${it.core ?? ""} `, at(it, it.cycle), it.source === "waypoint" ? " at waypoint " : " | "),
      it.omitted_lines ? `… ${plural(it.omitted_lines, "more line")}` : it.text))));
  if (zones.length) $("findings").append(h("h3", null, "Zones of kernels"), h("div", { class: "card mono printed" },
    zones.slice(0, 200).map((it) => h("div", null, `${it.name}: ${it.processor} ${it.core}, `, at(it, it.begin), it.end === null ? " on" : ` to ${count(it.end)}`))));
}

function finding(found) {
  const steps = found.marks.filter((mark) => mark.processor).length;
  let step = 0;
  const places = found.marks.flatMap((mark) => {
    const number = mark.processor && steps > 1 ? `(${++step}) ` : "";
    return [place(mark, number, found.program), ...mark.called_from.map(caller)];
  });
  const cores = found.count > 1 ? `; ${plural(found.count - 1, "more core")} at the same place` : "";
  const moment = momentOf(found);
  return h("article", { class: "card finding" },
    h("h3", null, h("code", null, found.id), "  ", found.title),
    found.help ? h("p", { class: "help" }, h("b", null, "help: "), found.help) : null,
    h("div", { class: "links" },
      moment ? link(`cycle ${count(moment.cycle)} of core ${coreName(moment)} on the timeline`, () => showMoment(moment)) : null,
      data.heat.filter((map) => named(found, map.name)).map((map) => link(`\`${map.name}\` by tile`, () => {
        openers.get(map.name)();
        goTo("tile");
      }))),
    places,
    h("ul", { class: "small" },
      found.program ? h("li", null, "program: ", found.program) : null,
      found.facts.map((fact) => h("li", null, fact)),
      found.consequences.map((other) => h("li", null, "consequence: ", other)),
      h("li", null, "blame: ", BLAME[found.blame] + cores)),
    found.replay ? h("code", { class: "replay" }, found.replay) : null);
}

/** A line that led to a mark, in one line. */
function caller({ file, line }) {
  const source = data.sources.find((it) => it.file === file)?.lines.find(([number]) => number === line);
  return h("div", { class: "caller small" }, "called from ", link(`${fileName(file)}:${line}`, () => showLine(file, line), file),
    source ? h("code", { class: "soft" }, "  " + source[1].trim()) : "");
}

/** When and where a finding was made, as far as the timeline shows it. */
function momentOf(found) {
  const mark = found.marks.find((it) => it.core);
  if (!mark || found.cycle === null) return null;
  const program = Math.max(0, data.programs.findIndex((it) => it.name === found.program));
  return momentIn(program, mark.core, found.cycle, found.id);
}

/** A core's cycle, counted over all programs of the run. */
function momentAt(core, cycle) {
  if (!core || cycle === null || cycle === undefined) return null;
  const program = data.programs.findLastIndex((it) => it.start <= cycle);
  return program < 0 ? null : momentIn(program, core, cycle - data.programs[program].start, "");
}

function momentIn(program, coreText, cycle, id) {
  const core = data.programs[program]?.cores.findIndex((it) => coreName(it) === coreText) ?? -1;
  if (core < 0) return null;
  const { x, y } = data.programs[program].cores[core];
  return { program, core, x, y, cycle, id };
}

/** What was found on the cores that are shown. */
const moments = () => data.run.findings.map(momentOf)
  .filter((it) => it && it.program === state.program && state.cores.includes(it.core));

/** Selects the program and core of a moment, and the cycles around it. */
function showMoment({ program, core, cycle }) {
  select(program, [core]);
  const span = Math.min(1, Math.max(0.1, 40 / total()));
  look(cycle / total() - span / 2, span);
  goTo("time");
}

/** Whether a finding is about an output. */
const named = (found, output) => [found.title, ...found.consequences].some((text) => text.includes("`" + output.replace(" (expected)", "") + "`"));

/** A marked line with its neighbours, or its place alone if the file could not be read. */
function place(mark, step, program) {
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
  const isListed = data.programs.some((it) => it.sites.some(([file]) => file === mark.file));
  const whole = isListed ? link(where, () => { showLine(mark.file, mark.line); }, "show it in the source view") : where;
  const at = mark.core ? momentIn(Math.max(0, data.programs.findIndex((it) => it.name === program)), mark.core, 0, "") : null;
  const who = mark.core ? `${mark.processor} on core ${mark.core}` : "";
  const core = at ? link(who, () => { select(at.program, [at.core]); goTo("time"); }, "select this core") : who;
  return h("div", { class: "place" },
    h("div", { class: "file mono" }, whole, where && who ? " · " : "", core),
    lines.length ? h("div", { class: "source mono" }, lines) : h("div", { class: "small" }, step + mark.role));
}

// ---- cycles, dataflow, L1, costs -------------------------------------------------------------

/** A line that leads to the source view. */
function siteLink(site) {
  const [file, line] = program().sites[site];
  return file ? link(`${fileName(file)}:${line}`, () => { showLine(file, line); }, file) : "";
}

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
  const wait = ([processor, what, site, cycles, times]) => [PROCESSORS[processor],
    h("span", null, key(whats[what][1]), whats[what][0]), siteLink(site), count(cycles), count(times), count(cycles / times)];
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

/** Where working processors spend their time, over all cores: the calls that took longest. */
function work(whats) {
  const sums = new Map();
  for (const it of program().cores) for (const lane of it.lanes) for (const [what, cycles, times] of lane.totals) {
    if (whats[what][1] !== "busy") continue;
    const sum = sums.get(what) || [0, 0];
    sums.set(what, [sum[0] + cycles, sum[1] + times]);
  }
  const all = [...sums.values()].reduce((sum, [cycles]) => sum + cycles, 0);
  const find = (what) => () => { state.query = whats[what][0]; drawTimeline(); goTo("time"); };
  const rows = [...sums].sort((a, b) => b[1][0] - a[1][0]).slice(0, 14)
    .map(([what, [cycles, times]]) => [link(whats[what][0], find(what)), whats[what][2], count(cycles), percent(cycles, all), count(times)]);
  return titled("Work by call", ["call", "kind", "cycles", "of work", "times"], rows, [2, 3, 4]);
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
    h("p", { class: "soft small" }, "Which kernels filled and drained which buffers in this run, over all cores. Dashed: no data. Red: a kernel waits for ever."),
    h("div", { class: "scroll card" }, picture(nodes, named)),
    unused.length ? h("p", { class: "soft small" }, "Not used: ", h("code", null, unused.join(", ")), ".") : "");
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
  const names = shortened([...nodes.values()].map((node) => node.name), 15);
  const short = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
  for (const node of nodes.values()) {
    root.append(svg("g", {}, svg("title", {}, `${node.name}: ${node.sub}`),
      svg("rect", { class: node.kind, x: node.x, y: node.y, width: NODE.width, height: NODE.height, rx: node.kind === "buffer" ? 3 : 9 }),
      svg("text", { x: node.x + 10, y: node.y + 15 }, names.get(node.name)),
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
      onpointermove: (event) => tip(event, `${part.name}\n${bytes(part.to - part.from)} from ${address(part.from)}`), onpointerleave: () => tip(null, ""),
    }));
    at = Math.max(at, part.to);
  });
  const used = it.rings.reduce((end, ring) => Math.max(end, ring.base + ring.page_bytes * ring.pages), base);
  const row = ({ ring }) => [h("code", null, ring.name), `c_${ring.id}`, address(ring.base), `${ring.pages} × ${bytes(ring.page_bytes)}`,
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
  drawTrafficSection();
  drawTimeline();
  drawLines();
  drawCycles();
  drawFlow();
  drawMemory();
}

redraws.push(() => {});
drawTop();
drawFindings();
drawOutputs();
// The program and the core of the first finding are shown first.
const first = data.run.findings.map(momentOf).find(Boolean);
if (data.programs.length) select(first?.program ?? 0, [first?.core ?? 0]);
drawCosts();
const redraw = () => redraws.forEach((draw) => draw());
redraw();
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
document.documentElement.dataset.drawn = "yes";
