// What exported functions are evaluated in: numbers with a bound on their rounding error, first
// floats (Fast); where those are not enough, numbers with twice the digits and an exponent of any
// size (Wide). It is cltheory's derive/theorem/floats.py for one point at a time. The functions
// take plain numbers too, which are exact where they are integers. A truth that is not known is
// null.

const TOLERANCE = 1e-12, FLOOR = 1e-28, U = 2 ** -52;
const FAR = -1e305, MOST = Number.MAX_VALUE, NEAR = [2 ** -44, 2 ** -41], STEPS = 256;
const LOG_2 = [0.6931471805599453, 2.3190468138462996e-17];

/** Room for rounding in bounds themselves: little, as long products multiply it. */
const ROOM = 1 + 1e-9;

// --- floats and their bits
const floats = new Float64Array([-0]), words = new BigInt64Array(floats.buffer);
const halves = new Int32Array(floats.buffer), UPPER = halves[1] ? 1 : 0, SIGNED = 2n ** 63n - 1n;
const POWERS = Float64Array.from({ length: 1800 }, (_, k) => 2 ** (k - 900));

/** Floats as integers of the same order, and back. */
function inOrder(x) {
  floats[0] = x + 0;
  return words[0] < 0n ? words[0] ^ SIGNED : words[0];
}

function ordered(i) {
  words[0] = i < 0n ? i ^ SIGNED : i;
  return floats[0];
}

/** The exponent d of x = h 2**d with 1/2 <= |h| < 1. */
function exponentOf(x) {
  if (x === 0 || !Number.isFinite(x)) return 0;
  floats[0] = x;
  const biased = (halves[UPPER] >> 20) & 2047;
  return biased ? biased - 1022 : exponentOf(x * 2 ** 54) - 54;
}

function scaled(x, k) {
  if (k === 0) return x;
  if (k > -900 && k < 900) return x * POWERS[k + 900];
  const d = k > 2100 ? 2100 : k < -2100 ? -2100 : k, third = Math.trunc(d / 3);
  return x * 2 ** third * 2 ** third * 2 ** (d - 2 * third);
}

/** A sum and its rounding error; a product and its rounding error. */
function twoSum(a, b) {
  const s = a + b, t = s - a;
  return [s, Number.isFinite(s) ? a - (s - t) + (b - t) : 0];
}

function twoProduct(a, b) {
  const p = a * b, x = a * 134217729, y = b * 134217729;
  const c = x - (x - a), d = a - c, e = y - (y - b), f = b - e;
  return [p, c * e - p + c * f + d * e + d * f];
}

// --- numbers
class Fast {
  /** A float v with an error of at most r |v|, or none that is known: r = Infinity. */
  constructor(v, r = 0) {
    const size = Math.abs(v);
    this.v = v;
    this.r = r === 0 || (size > 1e-290 && size < 1e290) ? r : Infinity;
  }
  of(v) {
    return v instanceof Fast ? v : new Fast(v);
  }
  known() {
    return this.r <= TOLERANCE ? this.v : undefined;
  }
  plain() {
    return this.v;
  }
  neg() {
    return new Fast(-this.v, this.r);
  }
  add(y) {
    const v = this.v + y.v, lost = this.r * Math.abs(this.v) + y.r * Math.abs(y.v);
    const t = v - this.v, exact = lost === 0 && this.v - (v - t) + (y.v - t) === 0;
    if (v === 0) return new Fast(0, exact ? 0 : Infinity);
    return new Fast(v, exact ? 0 : lost / Math.abs(v) + U);
  }
  mul(y) {
    if ((this.v === 0 && this.r === 0) || (y.v === 0 && y.r === 0)) return new Fast(0);
    return new Fast(this.v * y.v, this.r + y.r + U);
  }
  div(y) {
    if (this.v === 0 && this.r === 0 && y.r < 0.5 && y.v !== 0) return this;
    return new Fast(this.v / y.v, this.r + y.r + U);
  }
  power(y) {
    return y.mul(this.log()).exp();
  }
  exp() {
    const size = Math.abs(this.v);
    return new Fast(Math.exp(this.v), size < 660 ? size * this.r + 2 * U : Infinity);
  }
  log() {
    const v = Math.log(this.v);
    if (v === 0 && this.r === 0) return new Fast(0);
    return new Fast(v, this.r < 0.01 ? (1.01 * this.r) / Math.abs(v) + 2 * U : Infinity);
  }
  sqrt() {
    return this.v === 0 && this.r === 0 ? this : new Fast(Math.sqrt(this.v), this.r + U);
  }
  positive() {
    return this.r < 0.5 ? this.v > 0 : null;
  }
  unsure() {
    return new Fast(this.v, Infinity);
  }
  maximum(y) {
    return new Fast(Math.max(this.v, y.v), Math.max(this.r, y.r));
  }
  /** Between this end and a higher one: found in floats, then put back on both sides. */
  root(condition, high, args, flat) {
    const a = this.v, b = Math.min(high.v, MOST);
    const x = bisected(condition, args.map(plain), a, b);
    const atLow = x === a, atHigh = x === b && !atLow;
    for (const near of NEAR) {
      const d = near * Math.abs(x);
      const left = new Fast(atLow ? a : Math.min(Math.max(x - d, a), b));
      const right = new Fast(atLow ? a : Math.min(Math.max(x + d, a), b));
      if (side(condition(left, ...args)) !== (atLow ? 1 : -1)) continue;
      if (side(condition(right, ...args)) !== (atHigh ? -1 : 1)) continue;
      return new Fast(x, near + this.r + high.r);
    }
    return new Fast(x, Infinity);
  }
}

class Wide {
  /** (h + l) 2**k with an error of at most e 2**k, where 1/2 <= |h| < 1; exact where e = 0. */
  constructor(h, l = 0, k = 0, e = 0) {
    const [sum, low] = l === 0 ? [h, 0] : twoSum(h, l), d = exponentOf(sum);
    this.h = scaled(sum, -d);
    this.l = scaled(low, -d);
    this.e = Number.isNaN(e) ? Infinity : scaled(e, -d);
    this.k = sum === 0 && e === 0 ? FAR : Math.abs(sum) === Infinity ? -FAR : k + d;
  }
  of(v) {
    return v instanceof Wide ? v : v instanceof Fast ? new Wide(v.v, 0, 0, v.r * Math.abs(v.v)) : new Wide(v);
  }
  known() {
    const v = this.plain();
    const right = this.e <= TOLERANCE * Math.abs(this.h) && Number.isFinite(this.e);
    if (right && (Number.isFinite(v) || Math.abs(this.h) === Infinity)) return v;
    return scaled(Math.abs(this.h) + this.e, this.k) <= FLOOR ? 0 : undefined;
  }
  plain() {
    return scaled(this.h + this.l, this.k);
  }
  neg() {
    return new Wide(-this.h, -this.l, this.k, this.e);
  }
  /** Its parts in units of 2**k. */
  at(k) {
    const d = this.k - k;
    const under = (this.h !== 0 || this.e !== 0) && (d < -900 || (this.l !== 0 && d < 0));
    return [scaled(this.h, d), scaled(this.l, d), scaled(this.e, d) + (under ? 2 ** -1000 : 0)];
  }
  add(y) {
    const k = Math.max(this.k, y.k), [h1, l1, e1] = this.at(k), [h2, l2, e2] = y.at(k);
    const [s, t] = twoSum(h1, h2), [most, more] = twoSum(l1, l2), [low, rest] = twoSum(t, most);
    return new Wide(s, low, k, e1 + e2 + Math.abs(more) + Math.abs(rest));
  }
  mul(y) {
    let [p, q] = twoProduct(this.h, y.h);
    if (Math.abs(p) === Infinity || Number.isNaN(p)) {
      const signed = this.positive() !== null && y.positive() !== null;
      const apart = Math.abs(this.h) >= this.e && Math.abs(y.h) >= y.e;
      return new Wide(apart ? p : NaN, 0, this.k + y.k, signed ? 0 : Infinity);
    }
    const one = this.h * y.l, two = this.l * y.h;
    let e = ROOM * (this.e * Math.abs(y.h) + y.e * Math.abs(this.h)) + this.e * y.e;
    e += Math.abs(this.l * y.l) + 2 * U * (Math.abs(one) + Math.abs(two) + Math.abs(q));
    return new Wide(p, q + (one + two), this.k + y.k, e);
  }
  div(y) {
    const size = Math.abs(y.h);
    if ((size === 0 && y.e === 0) || size === Infinity) {
      const over = size === 0 ? Infinity : 0;
      return this.mul(new Wide(over, 0, 0, over));
    }
    const q = this.h / y.h, [p, rest] = twoProduct(q, y.h), more = q * y.l;
    const r = this.h - p - rest + (this.l - more), low = r / y.h;
    let e = U * (Math.abs(this.l) + Math.abs(more) + Math.abs(r)) + Math.abs(low * y.l);
    e = (ROOM * (e + this.e + ROOM * Math.abs(q) * y.e)) / (size - y.e);
    return new Wide(q, low, this.k - y.k, y.e < size / 4 ? e : Infinity);
  }
  power(y) {
    if (this.h !== 0 || this.e !== 0) return y.mul(this.log()).exp();
    return new Wide(y.h > 0 ? 0 : y.h < 0 ? Infinity : 1);
  }
  exp() {
    let [h, low, e] = this.at(0);
    const n = Math.round(h / LOG_2[0]);
    if (!(Math.abs(n) < 2 ** 40)) {
      const below = this.h < 0 && this.positive() === false;
      return below ? new Wide(0, 0, -(2 ** 40), 1) : new Wide(1, 0, 0, Infinity);
    }
    const [p, q] = twoProduct(n, LOG_2[0]), w = n * LOG_2[1], [s, t] = twoSum(h, -p);
    e += 2 * U * (Math.abs(t) + Math.abs(q) + Math.abs(low) + Math.abs(w)) + Math.abs(n) * 2 ** -105;
    const [u, v] = twoSum(s, t - q + low - w), j = Math.round(u * STEPS);
    const [x, more] = twoSum(u, -j / STEPS), y = v + more;
    const tail = (x ** 4 / 24) * (y + (x / 5) * (1 + (x / 6) * (1 + (x / 7) * (1 + (x / 8) * (1 + x / 9)))));
    const lost = 20 * U * Math.abs(tail) + Math.abs(x ** 5 * y) + x ** 10 / 1e6;
    e = 1.1 * e + 4 * U * Math.abs(y);
    const part = new Wide(x, y, 0, e < 0.1 ? e : Infinity), four = new Wide(4), whole = new Wide(24);
    const powers = part.add(four).mul(part).add(new Wide(12)).mul(part).add(whole).mul(part).div(whole);
    const found = powers.add(new Wide(tail, 0, 0, lost)).add(new Wide(1)).mul(step(j));
    found.k += n;
    return found;
  }
  log() {
    if (this.h === 0 && this.e === 0) return new Wide(-Infinity);
    const small = this.h < 0.7071 ? 1 : 0, scale = 1 + small, y = Math.log(scale * this.h);
    const near = new Wide(scale * this.h, scale * this.l, 0, scale * this.e).mul(new Wide(-y).exp());
    const [h, , e] = near.add(new Wide(-1)).at(0), part = Math.log1p(h);
    const lost = (e < 0.1 ? 2 * e : Infinity) + 4 * U * Math.abs(part);
    const twos = new Wide(this.k - small).mul(new Wide(...LOG_2, 0, 2 ** -105));
    return new Wide(part, 0, 0, lost).add(new Wide(y)).add(twos);
  }
  sqrt() {
    if (this.h === 0 && this.e === 0) return this;
    const odd = Math.abs(this.k % 2), h = (1 + odd) * this.h, e = (1 + odd) * this.e;
    const inside = h < 0 && -h <= e ? 0 : h, y = Math.sqrt(inside), [p, q] = twoProduct(y, y);
    const r = inside - p - q + (1 + odd) * this.l;
    const low = y > 0 && y < Infinity ? r / (2 * y) : 0;
    const lost = e < h / 2 ? e / y : Math.sqrt(2 * e);
    const own = (y > 0 ? low * low : 0) + 4 * U * Math.abs(low) + lost;
    return new Wide(y, low, (this.k - odd) / 2, y === Infinity ? 0 : own);
  }
  positive() {
    return Math.abs(this.h) >= 1.01 * this.e && Number.isFinite(this.e) ? this.h > 0 : null;
  }
  unsure() {
    return new Wide(this.h, this.l, this.k, Infinity);
  }
  maximum(y) {
    const more = this.add(y.neg()), larger = more.h > 0 ? this : y, k = Math.max(this.k, y.k);
    return more.positive() !== null ? larger : larger.add(new Wide(0, 0, k, this.at(k)[2] + y.at(k)[2]));
  }
  /** By bisection and chords, put back on both sides; one that may be flat is zero at the first
   * point where it is not told from zero. */
  root(condition, high, args, flat) {
    const f = (x) => this.of(condition(x, ...args));
    const below = (x) => (flat ? side(f(x)) < 0 : f(x).h < 0);
    const reached = (v) => (flat ? side(v) >= 0 : side(v) > 0);
    const minus = (x, y) => x.add(y.neg());
    const [a, b] = [this, high].map((end) => Math.min(Math.max(end.plain(), -MOST), MOST));
    const first = f(this), last = f(high);
    const atLow = first.h >= 0, atHigh = !atLow && (flat ? side(last) < 0 : last.h <= 0);
    if (atLow && reached(first)) return this;
    if (atHigh && !(last.h > 0) && side(last) !== 0) return high;
    let x = bisected(condition, args.map(plain), a, b);
    if (!(x > a && x < b)) x = b;
    let i = inOrder(x * (1 - 2 ** -30)), j = inOrder(x * (1 + 2 ** -30));
    if (i > j) [i, j] = [j, i];
    if (!(below(new Wide(ordered(i))) && f(new Wide(ordered(j))).h > 0)) [i, j] = [inOrder(a), inOrder(b)];
    while (j - i > (flat ? 1n : 2n ** 23n)) [i, j] = halved(i, j, (y) => below(new Wide(y)));
    let p = new Wide(ordered(i)), q = new Wide(ordered(j));
    let found = q, margin = flat ? minus(q, p) : new Wide(Infinity);
    for (let k = 0; k < (flat ? 0 : 7); k++) {
      const [atP, atQ] = [f(p), f(q)], w = minus(q, p);
      const seen = (side(atP) < 0 || minus(p, this).h <= 0) && (reached(atQ) || minus(q, high).h >= 0);
      const t = atP.div(minus(atP, atQ)).plain();
      const next = p.add(w.mul(new Wide(Number.isNaN(t) ? 0.5 : Math.min(Math.max(t, 0), 1))));
      if (seen) [found, margin] = [next, w];
      const d = w.mul(new Wide(seen ? 2 ** -20 : 2 ** 10));
      [p, q] = [minus(next, d), next.add(d)];
    }
    for (const w of [2 ** -40, 2 ** -60, 2 ** -80].map((v) => new Wide(v))) {
      // A tie at the lower end, which may be 0.
      if (side(f(this.add(w))) > 0 && minus(margin, w).h > 0) [found, margin] = [this, w];
    }
    const around = new Wide(0, 0, margin.k, Math.abs(margin.h));
    return new Wide(found.h, found.l, found.k).add(around);
  }
}

const table = new Map();

/** exp(j/STEPS), from its series in integers. */
function step(j) {
  if (!table.has(j)) {
    let term = 2n ** 200n, sum = 0n;
    for (let k = 1n; term !== 0n; k++) {
      sum += term;
      term = (term * BigInt(j)) / (BigInt(STEPS) * k);
      if (term === -1n) break;
    }
    const h = Number(sum), l = Number(sum - BigInt(h));
    table.set(j, new Wide(h, l, -200, j === 0 ? 0 : h * 2 ** -105));
  }
  return table.get(j);
}

function halved(i, j, below) {
  const middle = (i + j) >> 1n;
  return below(ordered(middle)) ? [middle, j] : [i, middle];
}

/** The first float between two that is not below the root of a function, or the higher one. */
function bisected(condition, args, a, b) {
  let low = a, high = b;
  for (let k = 0; k < 128; k++) {
    const near = low > 0 && high < 4 * low; // else the exponent is halved
    const middle = near ? low + (high - low) / 2 : ordered((inOrder(low) + inOrder(high)) >> 1n);
    if (middle === high || (near && middle === low)) break;
    if (condition(middle, ...args) < 0) low = middle;
    else high = middle;
    if (!near && inOrder(high) - inOrder(low) <= 1n) break;
  }
  return high;
}

// --- what formulas are written in
const isPlain = (x) => typeof x === "number";
const plain = (x) => (isPlain(x) ? x : x.plain());
const both = (name, own) => (x, y) => {
  if (isPlain(x)) return isPlain(y) ? own(x, y) : y.of(x)[name](y);
  return x[name](x.of(y));
};
const one = (name, own) => (x) => (isPlain(x) ? own(x) : x[name]());
const add = both("add", (x, y) => x + y);
const mul = both("mul", (x, y) => x * y);
const div = both("div", (x, y) => x / y);
const max = both("maximum", Math.max);
const neg = one("neg", (x) => -x);
const exp = one("exp", Math.exp);
const log = one("log", Math.log);
const sqrt = one("sqrt", Math.sqrt);
const positive = one("positive", (x) => x > 0);
const sub = (x, y) => add(x, neg(y));
const min = (x, y) => neg(max(neg(x), neg(y)));
const abs = (x) => max(x, neg(x));
const floor = Math.floor;
const not = (truth) => (truth === null ? null : !truth);
const and = (...all) => (all.includes(false) ? false : all.includes(null) ? null : true);
const every = and, mod = (x, y) => x - y * Math.floor(x / y);
const or = (...all) => not(and(...all.map(not)));
const gt = (x, y) => positive(sub(x, y));
const lt = (x, y) => gt(y, x);
const ge = (x, y) => (isPlain(x) && isPlain(y) ? x >= y : not(lt(x, y)));
const le = (x, y) => ge(y, x);
const eq = (x, y) => x === y;
const same = (x, y) => le(abs(sub(x, y)), mul(1e-15, abs(y)));
const sign = (x) => select(gt(x, 0), 1, select(lt(x, 0), -1, mul(0, x)));
const number = (value, like) => (isPlain(like) ? value : like.of(value));

function select(where, here, other) {
  if (where !== null) return where ? here : other;
  const like = [here, other].find((x) => !isPlain(x)) ?? new Wide(0);
  return like.of(here).unsure();
}

/** 1 or -1, or 0 where it is not known; an exact zero counts as positive. */
function side(x) {
  const below = lt(x, 0);
  return below === null ? 0 : below ? -1 : 1;
}

function pow(x, y) {
  if (isPlain(x) && isPlain(y)) return x ** y;
  if (x === -1) return y.of(1 - 2 * (Math.abs(plain(y)) % 2));
  if (isPlain(x)) return y.of(x).power(y);
  if (!Number.isInteger(y)) return x.power(x.of(y));
  if (y <= 0) return y === 0 ? x.of(1) : div(1, pow(x, -y));
  const half = y > 1 ? pow(x, Math.floor(y / 2)) : x;
  return y === 1 ? half : y % 2 ? half.mul(half).mul(x) : half.mul(half);
}

/** Zero of a function that crosses from below, clamped to the ends. */
function clamped_root(condition, low, high, args, flat) {
  const like = [low, high, ...args].find((x) => !isPlain(x));
  if (like === undefined) return bisected(condition, args, low, Math.min(high, MOST));
  return like.of(low).root(condition, like.of(high), args, flat);
}

/** Mean of f(K) for K marked ones among those drawn, where K outside of [low, high] adds 0: up and
 * down from the likeliest K, so that what counts has been rounded least. */
function mean_of_draws(f, marked, drawn, total, low, high, like) {
  const [m, d, n, from, to] = [marked, drawn, total, low, high].map(plain);
  const least = Math.max(0, d + m - n), most = Math.min(m, d);
  const start = Math.min(most, Math.max(least, Math.floor(((m + 1) * (d + 1)) / (n + 2))));
  let whole = number(0, like), found = whole;
  for (const [first, by] of [[start, 1], [start - 1, -1]]) {
    let weight = number(1, like);
    for (let k = first; k >= least && k <= most; k += by) {
      const j = by > 0 ? k - 1 : k, up = (m - j) * (d - j), down = (j + 1) * (n - m - d + 1 + j);
      if (k !== start) weight = mul(weight, by > 0 ? div(number(up, like), down) : div(number(down, like), up));
      if (weight instanceof Fast && weight.v < 1e-200) weight = new Fast(1e-200, 1.5); // or any less
      whole = add(whole, weight);
      if (k >= from && k <= to) found = add(found, mul(weight, f(number(k, like))));
    }
  }
  return div(found, whole);
}

/** log 0F1(; b; z) for b > 0 and z >= 0: all terms of its series are positive. */
function log_0f1(b, z) {
  const like = isPlain(z) ? b : z, wide = new Wide(1), [c, y] = [wide.of(b), wide.of(z)];
  let term = wide, sum = wide;
  for (let j = 0; j < 2e6; j++) {
    term = term.mul(y).div(c.add(new Wide(j)).mul(new Wide(j + 1)));
    sum = sum.add(term);
    if (term.h === 0 || (term.k < sum.k - 110 && plain(y) < (j * j) / 2)) {
      const found = add(sum, new Wide(0, 0, term.k + 2, 1)).log();
      if (isPlain(like)) return found.plain();
      return like instanceof Wide ? found : new Fast(found.plain(), found.e / Math.abs(found.h) + U);
    }
  }
  return number(NaN, like);
}

// --- values
const known = (found) => (typeof found === "object" ? found?.known() : found);

function nested(flat, shape) {
  if (shape.length < 2) return flat;
  const size = flat.length / shape[0];
  return Array.from({ length: shape[0] }, (_, k) => nested(flat.slice(k * size, (k + 1) * size), shape.slice(1)));
}

/** The sign of an infinity: that of its neighbours in the range, if they have one. */
function pole(formula, inside, args) {
  let signs = 0, count = 0;
  args.forEach((v, k) => {
    for (const d of [-1n, 1n]) {
      const moved = args.map((w, i) => (i === k ? ordered(inOrder(v) + d) : w));
      if (!inside(...moved)) continue;
      signs += side(formula(...moved.map((w) => new Wide(w))));
      count += 1;
    }
  });
  return count > 0 && Math.abs(signs) === count ? Math.sign(signs) * Infinity : NaN;
}

/** The value of a formula, or whether a condition holds; NaN where twice the digits do not tell.
 * Throws a RangeError where the arguments are not inside of its domain. */
function value(name, ranges, order, given, inside, formula, shape = []) {
  const args = order.map((s) => (given ?? {})[s]);
  if (!args.every((v) => typeof v === "number" && !Number.isNaN(v)) || !inside(...args)) {
    const said = order.map((s, k) => `${s} = ${args[k]}`).join(", ");
    throw new RangeError(`${name} needs ${ranges}; it was given ${said}`);
  }
  let values = [];
  for (const Kind of [Fast, Wide]) {
    const found = formula(...args.map((v) => new Kind(v)));
    values = (Array.isArray(found) ? found : [found]).map(known);
    if (!values.includes(undefined)) break;
    if (Kind === Wide && !shape.length && Math.abs(found?.h) === Infinity) values = [pole(formula, inside, args)];
  }
  values = values.map((v) => (v === undefined ? NaN : v));
  return shape.length ? nested(values, shape) : values[0];
}
