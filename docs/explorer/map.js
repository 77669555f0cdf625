// Which structure is optimal over two parameters. Coarse cells come first, a few milliseconds of each
// frame, so that sliders never wait.
import { sized } from "./drawing.js";
import { amountOf, phaseOf } from "./models.js";
import { position, valueAt } from "./scale.js";

const COLUMNS = 192, ROWS = 144, COARSE = 16;
const SHADED = ["apart", "between", "views"];

export class PhaseMap {
  constructor(canvas, picked) {
    this.canvas = canvas;
    this.grid = Object.assign(document.createElement("canvas"), { width: COLUMNS, height: ROWS });
    this.key = "";
    this.budget = 0; // milliseconds of a frame
    const pick = (e) => {
      const box = canvas.getBoundingClientRect();
      const [x, y] = [(e.clientX - box.left) / box.width, 1 - (e.clientY - box.top) / box.height];
      picked(valueAt(this.axes[0], Math.min(1, Math.max(0, x))), valueAt(this.axes[1], Math.min(1, Math.max(0, y))));
    };
    canvas.addEventListener("pointerdown", pick);
    canvas.addEventListener("pointerdown", (e) => canvas.setPointerCapture(e.pointerId));
    canvas.addEventListener("pointermove", (e) => e.buttons && pick(e));
  }
  /** Show the phases of a model over two of its parameters, through a state. */
  show(model, state, names, axes, colours) {
    const rest = Object.entries(state).filter(([k]) => k !== "B" && !names.includes(k) && model.parameters.includes(k));
    const key = JSON.stringify([model.key, names, axes, rest, colours]);
    Object.assign(this, { axes, here: names.map((k, i) => position(axes[i], state[k])), colours });
    if (key !== this.key) {
      this.key = key;
      this.work = this.cells(model, { ...state }, names, axes);
      this.phases = new Set();
      if (!this.running) this.go();
    }
    this.paint();
  }
  go() {
    const start = performance.now();
    let done = false;
    while (!done && performance.now() - start < this.budget) done = this.work.next().done;
    this.paint();
    this.running = !done;
    if (this.running) requestAnimationFrame(() => this.go());
  }
  *cells(model, state, names, axes) {
    const context = this.grid.getContext("2d"), shades = [];
    for (let size = COARSE; size >= 1; size /= 2) {
      // A threshold of what goes up is found once for a column.
      for (let column = 0; column < COLUMNS; column += size) {
        for (let row = 0; row < ROWS; row += size) {
          if (size === 1 && row % 2 === 0 && column % 2 === 0) continue; // done before
          const shade = (row >> 1) * COLUMNS + (column >> 1);
          state[names[0]] = valueAt(axes[0], (column + 0.5) / COLUMNS);
          state[names[1]] = valueAt(axes[1], 1 - (row + 0.5) / ROWS);
          const s = model.own(state), phase = phaseOf(model, s);
          // Between the pure structures it is a matter of degree, which takes longer to find.
          const amount = !SHADED.includes(phase) ? 0 : size > 2 ? 0.5 : size === 1 && shades[shade] ? shades[shade] : amountOf(model, s);
          if (size === 2) shades[shade] = amount;
          this.phases.add(phase);
          context.fillStyle = mixed(this.colours, phase, amount);
          context.fillRect(column, row, size, size);
          yield;
        }
      }
      this.done([...this.phases]);
    }
  }
  paint() {
    const { canvas } = this, context = canvas.getContext("2d"), dpr = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !this.here) return;
    sized(canvas, width * dpr, height * dpr);
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    context.drawImage(this.grid, 0, 0, width, height);
    const [x, y] = [this.here[0] * width, (1 - this.here[1]) * height], style = getComputedStyle(canvas);
    for (const [colour, line] of [[style.getPropertyValue("--card"), 5], [style.getPropertyValue("--ink"), 2]]) {
      context.strokeStyle = colour;
      context.lineWidth = line;
      context.beginPath();
      context.arc(x, y, 7, 0, 2 * Math.PI);
      context.stroke();
    }
  }
}

function mixed(colours, phase, amount) {
  const [from, to] = colours[phase] ?? colours.other;
  return amount ? `color-mix(in oklab, ${to} ${Math.round(100 * Math.min(1, Math.max(0, amount)))}%, ${from})` : from;
}
