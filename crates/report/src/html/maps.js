// Outputs: figures, heat maps by tile, and the elements of a tile.

function drawOutputs() {
  const outputs = Object.entries(data.run.outputs);
  if (!outputs.length) {
    $("outputs").append(h("p", { class: "soft" }, "Not judged: the outputs of a run that ended early mean nothing."));
    return;
  }
  const row = ([name, output]) => [h("code", null, name), output.shape.join("×"), figure(output.max_abs_error),
    figure(output.mean_abs_error), figure(output.worst_ratio), h("span", { class: output.in_bound ? "good" : "bad" }, output.in_bound ? "inside" : "outside"),
    count(output.judged) + (output.unjudged ? ` (${count(output.unjudged)} not)` : "")];
  $("outputs").append(
    table(["output", "shape", "max error", "mean error", "worst error/bound", "bounds", "judged"], outputs.map(row), [2, 3, 4, 6]));
  if (!data.heat.length) return;
  $("outputs").append(
    h("h3", null, "Worst error/bound by tile"),
    h("p", { class: "soft small" }, "Click a tile to see its elements and to select the core that wrote it."),
    h("div", { class: "maps" }, data.heat.map(heat)),
    scale(), h("div", { id: "tile" }));
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

/** A map of squares. `ratio(cell)` is a number, or null; `text(cell)` says what the pointer is on. */
function squares(name, rows, columns, side, ratio, text, onpick) {
  const canvas = h("canvas", { role: "img", tabindex: "0", "aria-label": name });
  canvas.style.width = columns * side + "px";
  const draw = (chosen) => {
    const context = sharp(canvas, columns * side, rows * side), gap = side > 3 ? 1 : 0;
    canvas.style.height = "auto";
    for (let cell = 0; cell < rows * columns; cell++) {
      const value = ratio(cell);
      context.fillStyle = value === null ? colour("idle") : value > 1 ? colour("bad") : colour("accent");
      context.globalAlpha = value === null ? 0.4 : value > 1 ? 1 : strength(value);
      context.fillRect(cell % columns * side, Math.floor(cell / columns) * side, side - gap, side - gap);
    }
    context.globalAlpha = 1;
    if (chosen === undefined) return;
    context.strokeStyle = colour("ink");
    context.lineWidth = 2;
    context.strokeRect(chosen % columns * side, Math.floor(chosen / columns) * side, side - gap, side - gap);
  };
  const cellAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * columns);
    const row = Math.floor((event.clientY - box.top) / box.height * rows);
    return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : -1;
  };
  tipped(canvas, (event) => cellAt(event) < 0 ? "" : text(cellAt(event)));
  if (onpick) canvas.addEventListener("click", (event) => { if (cellAt(event) >= 0) onpick(cellAt(event)); });
  return { canvas, draw };
}

/** What each map has that is needed from outside: how to open one of its cells. */
const openers = new Map();

function heat(map) {
  const side = Math.max(3, Math.min(22, Math.floor(420 / Math.max(map.columns, map.rows))));
  const [ratio, writer] = [(cell) => map.ratios[cell] === null ? null : Number(map.ratios[cell]), (cell) => map.cores[cell] ?? -1];
  const cores = data.programs[map.program]?.cores ?? [];
  const where = (cell) => {
    const [row, column] = [Math.floor(cell / map.columns), cell % map.columns].map((it) => it * map.cell_tiles);
    return (map.cell_tiles > 1 ? `${map.cell_tiles}×${map.cell_tiles} tiles from ` : "tile ") + `row ${row}, column ${column}`;
  };
  const text = (cell) => `${map.name} ${where(cell)}\n` + (ratio(cell) === null ? "not judged" : `worst error/bound ${figure(ratio(cell))}`)
    + (writer(cell) < 0 ? "" : `\nwritten by core ${coreName(cores[writer(cell)])}`);
  const open = (cell) => {
    picture.draw(cell);
    if (writer(cell) >= 0) select(map.program, [writer(cell)]);
    openTile(map, cell, writer(cell) < 0 ? null : cores[writer(cell)], where(cell));
  };
  const picture = squares(`${map.name}: worst error over bound by tile`, map.rows, map.columns, side, ratio, text, open);
  redraws.push(() => picture.draw());
  // Ratios are rounded, so that several may be the largest; the elements are those of the true one.
  const [row, column] = [map.tiles[0]?.row ?? 0, map.tiles[0]?.column ?? 0].map((it) => Math.floor(it / map.cell_tiles));
  const worst = row * map.columns + column;
  openers.set(map.name, () => open(worst));
  const size = map.cell_tiles > 1 ? `, ${map.cell_tiles}×${map.cell_tiles} tiles a cell` : "";
  return h("div", { class: "map" }, h("div", { class: "small" }, h("code", null, map.name),
    h("span", { class: "soft" }, ` ${map.rows}×${map.columns}${size} `), link("worst tile", () => open(worst))), picture.canvas);
}

const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

/** The elements of a cell's tile, below the maps. */
function openTile(map, cell, core, where) {
  const [row, column] = [Math.floor(cell / map.columns), cell % map.columns].map((it) => it * map.cell_tiles);
  const inside = (tile) => tile.row >= row && tile.row < row + map.cell_tiles && tile.column >= column && tile.column < column + map.cell_tiles;
  const tile = map.tiles.find(inside);
  const head = h("h3", null, h("code", null, map.name), ` ${tile ? `tile row ${tile.row}, column ${tile.column}` : where}`);
  const from = core ? h("p", { class: "small" }, `Written by core ${coreName(core)}: `, link("show it on the timeline", () => goTo("time"))) : null;
  if (!tile) {
    $("tile").replaceChildren(head, from ?? "", h("p", { class: "soft small" },
      `The page has the elements of the ${plural(map.tiles.length, "tile")} of this output with the largest error/bound; this is not one of them.`));
    return;
  }
  const [got, error, bound] = [tile.got, tile.error, tile.bound].map(floats);
  const ratio = (at) => Number.isNaN(bound[at]) ? null : error[at] === 0 ? 0 : Math.abs(error[at]) / bound[at];
  const wanted = (at) => figure(got[at] - error[at]);
  const place = (at) => `element row ${tile.row * 32 + Math.floor(at / tile.width)}, column ${tile.column * 32 + at % tile.width}`;
  const text = (at) => `${place(at)}\nwanted ${Number.isNaN(bound[at]) ? "–" : wanted(at)}, got ${figure(got[at])}\n`
    + (ratio(at) === null ? "not judged" : `error ${figure(error[at])}, bound ${figure(bound[at])}, error/bound ${figure(ratio(at))}`);
  const picture = squares(`elements of a tile of ${map.name}`, got.length / tile.width, tile.width, 12, ratio, text);
  const order = [...got.keys()].sort((a, b) => (ratio(b) ?? -1) - (ratio(a) ?? -1)).slice(0, 8);
  const line = (at) => [`${tile.row * 32 + Math.floor(at / tile.width)}, ${tile.column * 32 + at % tile.width}`, wanted(at), figure(got[at]),
    figure(error[at]), figure(bound[at]), ratio(at) === null ? "–" : figure(ratio(at))];
  $("tile").replaceChildren(head, from ?? "", h("div", { class: "columns" },
    h("div", { class: "map" }, picture.canvas),
    h("div", null, h("p", { class: "soft small" }, "The eight elements nearest to their bounds, or furthest beyond:"),
      table(["row, column", "wanted", "got", "error", "bound", "error/bound"], order.map(line), [0, 1, 2, 3, 4, 5]))));
  picture.draw();
}
