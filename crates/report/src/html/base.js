// The data of the page and small helpers. The scripts beside this file run in one function, in the
// order that `mod.rs` gives; `data.rs` describes the fields. No library, no request.
const data = JSON.parse(document.getElementById("data").textContent);
const PROCESSORS = ["reader", "unpack", "math", "pack", "writer"];
const GROUPS = ["busy", "pages", "space", "barrier", "semaphore", "Dst", "operands"];
/** What is shown: a program, its selected cores, a part of its time from 0 to 1, a selected range of cycles, a search. */
const state = { program: 0, cores: [0], from: 0, to: 1, range: null, query: "", picked: null };
const redraws = [];

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

// Numbers are written as in the terminal: 1_234_567, 0x1a000.
const count = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "_");
const address = (value) => "0x" + value.toString(16);
const percent = (part, whole) => whole > 0 ? (100 * part / whole).toFixed(1) + "\u202f%" : "–";
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
const bytes = (n) => n < 1024 ? `${n} B` : n < 1048576 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1048576).toFixed(1)} MiB`;
const figure = (value) => typeof value !== "number" ? String(value ?? "–")
  : value === 0 ? "0" : Number(value.toPrecision(3)).toString();
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name.toLowerCase()).trim();
const key = (group) => h("i", { class: "key", style: { background: `var(--${group.toLowerCase()})` } });
const coreName = (it) => `(${it.x},${it.y})`;
const fileName = (path) => path.split("/").pop();
const link = (text, onclick, title) => h("button", { class: "link", title: title ?? null, onclick }, text);

/** Names cut to a length in such a way that different names stay different. */
function shortened(names, most) {
  const cut = (name, head) => name.length <= most ? name : name.slice(0, head) + "…" + name.slice(name.length - (most - 1 - head));
  const all = [...new Set(names)];
  for (const head of [Math.floor((most - 1) / 2), 2, most - 3]) {
    const labels = all.map((name) => cut(name, head));
    if (new Set(labels).size === all.length) return new Map(all.map((name, index) => [name, labels[index]]));
  }
  return new Map(all.map((name, index) => [name, name.length <= most ? name : `${name.slice(0, most - 4)}…${index}`]));
}

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

/** Shows a text beside the pointer while it is over an element. */
const tipped = (element, text) => {
  element.addEventListener("pointermove", (event) => tip(event, text(event)));
  element.addEventListener("pointerleave", () => tip(null, ""));
  return element;
};

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

/** Brings a section into view. */
const goTo = (id) => $(id).scrollIntoView({ block: "start" });
