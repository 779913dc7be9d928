// The source of kernels with what each line cost, and the traffic over time.

const shown = { file: null, line: 0, processor: -1 };

/** Shows a line in the source view. */
function showLine(file, line) {
  Object.assign(shown, { file, line, processor: -1 });
  drawLines();
  goTo("lines");
}

/** Brings the shown line, or the costliest one, to the middle of the listing; the page stays. */
function centre(cost) {
  const box = $("lines").querySelector(".listing"), weight = (it) => it[1].work + it[1].wait;
  const [line] = [...cost].reduce((best, it) => weight(it) > weight(best) ? it : best, [0, { work: 0, wait: 0 }]);
  const row = box.querySelector(`tr[data-line="${shown.line || line}"]`);
  if (row) box.scrollTop = row.offsetTop - box.clientHeight / 2;
}

/** What lines of the program cost: by file, then by line, cycles of work and of waits and times. */
function costs() {
  const files = new Map();
  for (const [site, processor, work, wait, times] of program().lines) {
    const [file, line] = program().sites[site];
    if (!file || (shown.processor >= 0 && shown.processor !== processor)) continue;
    if (!files.has(file)) files.set(file, new Map());
    const sum = files.get(file).get(line) || { work: 0, wait: 0, times: 0 };
    files.get(file).set(line, { work: sum.work + work, wait: sum.wait + wait, times: sum.times + times });
  }
  return files;
}

function drawLines() {
  const files = costs(), sources = new Map(data.sources.map((it) => [it.file, it]));
  const names = [...new Set([...files.keys(), ...data.sources.filter((it) => it.whole).map((it) => it.file)])];
  if (shown.file && !names.includes(shown.file)) names.push(shown.file);
  if (!names.length) return $("lines").replaceChildren();
  const weight = (file) => [...(files.get(file)?.values() ?? [])].reduce((sum, it) => sum + it.work + it.wait, 0);
  if (!names.includes(shown.file)) shown.file = names.reduce((best, it) => weight(it) > weight(best) ? it : best);
  const labels = shortened(names.map((it) => it), 48);
  const tabs = names.map((it) => h("button", { role: "tab", title: it, "aria-selected": String(it === shown.file),
    onclick: () => { Object.assign(shown, { file: it, line: 0 }); drawLines(); } }, labels.get(it)));
  const used = [...new Set(program().lines.filter(([site]) => program().sites[site][0] === shown.file).map(([, processor]) => processor))].sort();
  const choices = [-1, ...used].map((it) => h("button", { "aria-pressed": String(it === shown.processor),
    onclick: () => { shown.processor = it; drawLines(); } }, it < 0 ? "all processors" : PROCESSORS[it]));
  $("lines").replaceChildren(h("h2", null, "Source, with cycles by line"),
    h("p", { class: "soft small" }, "Cycles of all cores. A line that calls a function has the function's cycles. Click a line's cycles to find them on the timeline."),
    h("div", { class: "tabs", role: "tablist" }, tabs), used.length > 1 ? h("div", { class: "bar" }, choices) : "",
    listing(sources.get(shown.file), files.get(shown.file) ?? new Map()));
  centre(files.get(shown.file) ?? new Map());
}

function listing(source, cost) {
  const all = source ? source.lines : [...cost.keys()].sort((a, b) => a - b).map((line) => [line, ""]);
  const most = Math.max(1, ...[...cost.values()].map((it) => it.work + it.wait));
  const found = new Set(data.run.findings.flatMap((it) => it.marks).filter((it) => it.file === shown.file).map((it) => it.line));
  const row = ([number, text]) => {
    const it = cost.get(number), find = () => { state.query = `${fileName(shown.file)}:${number}`; drawTimeline(); goTo("time"); };
    const bar = it ? h("span", { class: "costbar" }, h("i", { style: { width: 60 * it.work / most + "px", background: "var(--busy)" } }),
      h("i", { style: { width: 60 * it.wait / most + "px", background: "var(--pages)" } })) : "";
    const classes = [number === shown.line ? "hit" : "", found.has(number) ? "found" : ""].filter(Boolean).join(" ");
    return h("tr", { class: classes || null, "data-line": number },
      h("td", { class: "num" }, it && it.work ? link(count(it.work), find) : ""), h("td", { class: "num" }, it && it.wait ? link(count(it.wait), find) : ""),
      h("td", { class: "num soft" }, it ? count(it.times) : ""), h("td", null, bar),
      h("td", { class: "num soft" }, String(number)), h("td", { class: "text" }, text));
  };
  const head = ["works", "waits", "times", "", "line", ""].map((it, at) => h("th", { class: at === 5 || at === 3 ? null : "num" }, it));
  return h("div", { class: "listing" }, h("table", { class: "mono" }, h("thead", null, h("tr", null, head)), h("tbody", null, all.map(row))),
    source ? "" : h("p", { class: "soft small" }, "This file could not be read when the report was made."));
}

// ---- traffic --------------------------------------------------------------------------------

const STRIP = 15;

/** Bytes over the networks and to banks of DRAM: a strip each, on the timeline's part of time. */
function drawTraffic() {
  const { series, grain } = program().traffic, canvas = $("traffic").querySelector("canvas");
  if (!canvas) return;
  const width = canvas.clientWidth, left = labelWidth(), context = sharp(canvas, width, series.length * STRIP + 6);
  const first = state.from * total(), last = state.to * total();
  const x = (cycle) => left + (Math.min(Math.max(cycle, first), last) - first) / (last - first) * (width - left);
  const isBank = (name) => name.startsWith("DRAM");
  const most = (banks) => Math.max(1, ...series.filter(([name]) => isBank(name) === banks).flatMap(([, spans]) => spans));
  const peaks = { true: most(true), false: most(false) };
  context.font = "11px " + colour("mono");
  context.textBaseline = "middle";
  const [idle, noc, dram] = ["idle", "busy", "pages"].map(colour);
  series.forEach(([name, spans], row) => {
    const y = row * STRIP + (isBank(name) ? 6 : 0), bank = isBank(name);
    context.globalAlpha = 1;
    context.fillStyle = colour("ink");
    context.fillText(name, 0, y + STRIP / 2);
    context.fillStyle = idle;
    context.fillRect(left, y, width - left, STRIP - 2);
    context.fillStyle = bank ? dram : noc;
    spans.forEach((sent, span) => {
      const [from, to] = [x(span * grain), x((span + 1) * grain)];
      if (!sent || to <= from) return;
      context.globalAlpha = 0.15 + 0.85 * sent / peaks[bank];
      context.fillRect(from, y, to - from, STRIP - 2);
    });
  });
  context.globalAlpha = 1;
}

function drawTrafficSection() {
  const { series, grain } = program().traffic;
  if (!series.length) return $("traffic").replaceChildren();
  const canvas = h("canvas", { class: "chart", role: "img", "aria-label": "Bytes over the networks and to banks of DRAM over time" });
  tipped(canvas, (event) => {
    const at = (event.offsetX - labelWidth()) / Math.max(1, canvas.clientWidth - labelWidth());
    const cycle = (state.from + at * (state.to - state.from)) * total(), span = Math.floor(cycle / grain);
    const nocs = series.filter(([name]) => !name.startsWith("DRAM")).length;
    const row = Math.floor(event.offsetY / STRIP) < nocs ? Math.floor(event.offsetY / STRIP) : Math.floor((event.offsetY - 6) / STRIP);
    if (at < 0 || !series[row]) return "";
    const [name, spans] = series[row], sent = spans[span] ?? 0;
    return `${name}: ${bytes(sent)} in cycles ${count(span * grain)} to ${count((span + 1) * grain)}\n${figure(sent / grain)} bytes a cycle; ${bytes(spans.reduce((a, b) => a + b, 0))} in all`;
  });
  $("traffic").replaceChildren(h("h3", null, "Traffic over time"),
    h("p", { class: "soft small" }, `Bytes of all cores in spans of ${count(grain)} cycles, counted when a transfer ends; the strongest colour is the largest of its group. The part of time is that of the timeline.`), canvas);
  drawTraffic();
}
