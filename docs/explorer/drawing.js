// The optimum as points: a linear image, in three dimensions, of vectors with exactly its cosines.

const MOST = { classes: 8, instances: 12, views: 3, pairs: 24 };

/** So many directions, spread evenly, that sum to zero. */
function directions(count) {
  if (count === 1) return [[0, 0, 0]];
  if (count === 2) return [[1, 0, 0], [-1, 0, 0]];
  if (count === 3) return [0, 1, 2].map((k) => [Math.cos((k * 2 * Math.PI) / 3), Math.sin((k * 2 * Math.PI) / 3), 0]);
  if (count === 4) return [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]].map((v) => v.map((x) => x / Math.sqrt(3)));
  const turn = Math.PI * (3 - Math.sqrt(5));
  return centred(Array.from({ length: count }, (_, k) => {
    const y = 1 - (2 * k + 1) / count, r = Math.sqrt(1 - y * y);
    return [r * Math.cos(k * turn), y, r * Math.sin(k * turn)];
  }));
}

function centred(vectors) {
  const mean = [0, 1, 2].map((i) => vectors.reduce((sum, v) => sum + v[i], 0) / vectors.length);
  return vectors.map((v) => v.map((x, i) => x - mean[i]));
}

function turned([x, y, z], k) {
  const [u, v] = [Math.cos(1.3 * k) * x - Math.sin(1.3 * k) * y, Math.sin(1.3 * k) * x + Math.cos(1.3 * k) * y];
  return [u, Math.cos(2.1 * k) * v - Math.sin(2.1 * k) * z, Math.sin(2.1 * k) * v + Math.cos(2.1 * k) * z];
}

const sum = (...terms) => [0, 1, 2].map((i) => terms.reduce((all, [c, v]) => all + c * v[i], 0));
const root = (x) => Math.sqrt(Math.max(0, x));

/** Points with their colours, lines between them, and what of the optimum they are. */
export const layout = (optimum, s) => (optimum.kind === "pairs" ? pairs : classes)(optimum, s);

function classes(optimum, s) {
  const alone = optimum.kind === "images", [m, n, p] = alone ? [s.n, 1, s.p] : [s.m, s.n, s.p];
  // Squared lengths of the means of classes and of instances give the three parts of a vector.
  const ofClass = alone ? 1 : optimum.between, ofInstance = (1 + (p - 1) * optimum.views) / p;
  const [a, b, c] = [root(ofClass), root(ofInstance - ofClass), root(1 - ofInstance)];
  const count = alone ? Math.min(m, MOST.pairs) : Math.min(m, MOST.classes);
  const each = alone ? 1 : Math.min(n, MOST.instances), views = c > 1e-9 ? Math.min(p, MOST.views) : 1;
  const own = directions(count), inside = directions(each), points = [], lines = [];
  for (let k = 0; k < count; k++) {
    const hue = (360 * k) / count;
    lines.push({ from: [0, 0, 0], to: sum([a, own[k]]), hue });
    // Each class is turned by itself: its inside is orthogonal to that of the others.
    for (const v of inside) {
      directions(views).forEach((w, j) => {
        points.push({ at: sum([a, own[k]], [b, turned(v, k)], [c / 2, w]), hue, ring: j > 0 });
      });
    }
  }
  const part = (shown, whole, what) => (shown < whole ? `${shown} of ${whole} ${what}` : `${whole} ${what}`);
  const said = alone ? part(count, m, "images") : `${part(count, m, "classes")}, ${part(each, n, "instances")} each`;
  return { points, lines, said };
}

function pairs(optimum, s) {
  const a = root(1 - optimum.amount), b = root(optimum.amount);
  const count = Math.min(s.N, MOST.pairs), own = directions(count), points = [], lines = [];
  own.forEach((v, k) => {
    const hue = (360 * k) / count, up = sum([a, v], [b, [0, 0.95, 0]]), down = sum([a, v], [-b, [0, 0.95, 0]]);
    points.push({ at: up, hue }, { at: down, hue, ring: true });
    lines.push({ from: up, to: down, hue });
  });
  return { points, lines, said: `${count < s.N ? `${count} of ${s.N}` : s.N} pairs; filled and open are the two towers` };
}

/** Give a canvas the pixels that it has on the screen. */
export function sized(canvas, width, height) {
  const size = [Math.round(width), Math.round(height)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
}

/** Draws on a canvas; turned by dragging, or by the arrow keys. */
export class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.turn = { x: -0.35, y: 0.6 };
    let last = [0, 0];
    for (const kind of ["pointerdown", "pointermove"]) canvas.addEventListener(kind, (e) => {
      if (kind === "pointerdown") canvas.setPointerCapture(e.pointerId);
      else if (e.buttons) this.rotate((e.clientX - last[0]) / 120, (e.clientY - last[1]) / 120);
      last = [e.clientX, e.clientY];
    });
    canvas.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[e.key];
      if (!by) return;
      e.preventDefault();
      this.rotate(...by);
    });
  }
  rotate(x, y) {
    this.turn.y += x;
    this.turn.x = Math.max(-1.6, Math.min(1.6, this.turn.x + y));
    this.paint();
  }
  show(found) {
    this.found = found;
    this.paint();
  }
  paint() {
    const { canvas, found } = this, context = canvas.getContext("2d"), dpr = devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!found || !width) return;
    sized(canvas, width * dpr, height * dpr);
    const style = getComputedStyle(canvas);
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    context.clearRect(0, 0, width, height);
    const longest = Math.max(1, ...found.points.map(({ at }) => Math.hypot(...at)));
    const radius = (Math.min(width, height) * 0.41) / longest, [cx, cy] = [width / 2, height / 2];
    const [sx, ox, sy, oy] = [Math.sin(this.turn.x), Math.cos(this.turn.x), Math.sin(this.turn.y), Math.cos(this.turn.y)];
    const place = ([x, y, z]) => {
      const u = oy * x + sy * z, w = -sy * x + oy * z, v = ox * y - sx * w, depth = sx * y + ox * w;
      const near = 1 / (1 - depth * 0.12);
      return { x: cx + u * radius * near, y: cy - v * radius * near, depth, near };
    };
    context.strokeStyle = style.getPropertyValue("--line");
    context.lineWidth = 1;
    context.beginPath();
    context.arc(cx, cy, radius, 0, 2 * Math.PI);
    for (const flat of [(t) => [Math.cos(t), 0, Math.sin(t)], (t) => [0, Math.cos(t), Math.sin(t)]]) {
      for (let k = 0; k <= 64; k++) {
        const q = place(flat((k * Math.PI) / 32));
        context[k ? "lineTo" : "moveTo"](q.x, q.y);
      }
    }
    context.stroke();
    const colour = (hue, alpha) => `oklch(0.64 0.16 ${hue} / ${alpha})`;
    for (const line of found.lines) {
      const [p, q] = [place(line.from), place(line.to)];
      context.strokeStyle = colour(line.hue, 0.35);
      context.lineWidth = 1.25;
      context.beginPath();
      context.moveTo(p.x, p.y);
      context.lineTo(q.x, q.y);
      context.stroke();
    }
    const placed = found.points.map((point) => ({ ...point, ...place(point.at) })).sort((p, q) => p.depth - q.depth);
    for (const point of placed) {
      const size = 4.6 * point.near, alpha = 0.5 + 0.22 * (1 + Math.max(-1, Math.min(1, point.depth)));
      context.beginPath();
      context.arc(point.x, point.y, size, 0, 2 * Math.PI);
      context.fillStyle = point.ring ? "transparent" : colour(point.hue, alpha);
      context.strokeStyle = colour(point.hue, alpha);
      context.lineWidth = 1.8;
      context.fill();
      context.stroke();
    }
  }
}
