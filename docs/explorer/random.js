// Means over random unit vectors: cltheory's derive/landmarks/chance.py.

const STEP = 0.2, NOTHING = 45, LAST = 5;

/** A function that keeps its last value: a slider changes few of the arguments of all. */
export function remembered(f, ...order) {
  let last, value;
  return (s) => {
    if (last && order.every((k, i) => s[k] === last[i])) return value;
    value = f(s);
    last = order.map((k) => s[k]);
    return value;
  };
}

/** Nodes and weights for the cosine X of independent unit vectors in d dimensions, and a function that may have a kink. */
const cosines = remembered(({ d, tau, kink }) => {
  const x = [], weight = [], count = Math.ceil(24 * Math.max(16, 2 / tau, Math.sqrt(d)));
  if (d === 1) return { x: [-1, 1], weight: [0.5, 0.5] };
  const ends = [-1, ...(kink === undefined ? [] : [kink]), 1].map(Math.asin);
  let total = 0;
  // With the angle as tanh of sinh, up to the kink and from there, the trapezoidal rule converges geometrically.
  for (let piece = 1; piece < ends.length; piece++) for (let k = -count; k <= count; k++) {
    const u = (3.2 * k) / count, v = (Math.PI / 2) * Math.sinh(u), half = (ends[piece] - ends[piece - 1]) / 2;
    const from = ends[piece] - half * (1 - Math.tanh(v));
    const w = half * Math.exp((d - 2) * Math.log(Math.cos(from))) * (Math.cosh(u) / Math.cosh(v) ** 2);
    if (!(w > 1e-25)) continue;
    x.push(Math.sin(from));
    weight.push(w);
    total += w;
  }
  return { x, weight: weight.map((w) => w / total) };
}, "d", "tau", "kink");

export function meanOf(f, d, tau, kink) {
  const { x, weight } = cosines({ d, tau, kink });
  return x.reduce((sum, c, k) => sum + weight[k] * f(c), 0);
}

const logSum = (a, b) => Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));

/** E log(exp(fixed) + the sum of exp(X/tau) over so many), by Frullani's integral. */
export function meanLog(fixed, count, logMean, d, tau) {
  const { x, weight } = cosines({ d, tau }), own = Number.isFinite(fixed);
  const jensen = own ? logSum(fixed, Math.log(count) + logMean) : Math.log(count) + logMean;
  const low = Math.log(count) - jensen - 1 / tau;
  const lowest = own ? logSum(fixed - jensen, low) : low;
  let total = 0;
  for (let y = -NOTHING; y < LAST - lowest; y += STEP) {
    let missed = 0;
    for (let k = 0; k < x.length; k++) {
      missed -= weight[k] * Math.expm1(-Math.exp(Math.min(y + x[k] / tau - jensen, 700)));
    }
    let power = count * Math.log1p(-Math.min(missed, 1));
    if (own) power -= Math.exp(Math.min(y + fixed - jensen, 700));
    total += (Math.exp(-Math.exp(Math.min(y, 7))) - Math.exp(power)) * STEP;
  }
  return jensen + total;
}
