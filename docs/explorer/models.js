// What is known of each loss, in terms of the derived formulas: which structure is optimal, where
// the thresholds lie, what the landmarks are.
import { theory } from "./theory.mjs";
import { meanLog, meanOf } from "./random.js";

const whole = { integer: true, log: true };
export const PARAMETERS = {
  m: { label: "Classes", symbol: "m", min: 2, max: 1000, value: 10, ...whole },
  n: { label: "Instances of a class", symbol: "n", min: 2, max: 1000, value: 50, ...whole },
  images: { label: "Images", symbol: "n", min: 2, max: 65536, value: 256, ...whole },
  N: { label: "Pairs", symbol: "N", min: 4, max: 65536, value: 256, ...whole },
  p: { label: "Views of an instance", symbol: "p", min: 1, max: 8, value: 2, integer: true },
  p2: { label: "Views, at least 2", symbol: "p", min: 2, max: 8, value: 2, integer: true },
  alpha: { label: "Self-supervised weight", symbol: "α", min: 0, max: 1, value: 0.3, step: 0.005 },
  tau: { label: "Temperature, divides", symbol: "τ", min: 0.02, max: 10, value: 0.5, log: true },
  t: { label: "Scale, multiplies", symbol: "t", min: 0.1, max: 100, value: 10, log: true },
  b: { label: "Bias", symbol: "b", min: -20, max: 20, value: -10, step: 0.1 },
  d: { label: "Dimension", symbol: "d", min: 1, max: 4096, value: 512, ...whole },
  B: { label: "Instances in a batch", symbol: "B", min: 2, max: 4096, value: 128, ...whole },
};

/** A formula where it has a value, else undefined. */
function at(name, s) {
  if (!theory[name]) return undefined;
  try {
    const found = theory[name](s);
    return Number.isNaN(found) ? undefined : found;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export const shown = (x, digits = 4) => {
  if (x === undefined || x === null || Number.isNaN(x)) return "–";
  if (x === 0 || !Number.isFinite(x)) return String(x).replace("Infinity", "∞").replace("-", "−");
  const small = Math.abs(x) < 1e-4 || Math.abs(x) >= 1e7;
  return (small ? x.toExponential(digits - 1) : String(Number(x.toPrecision(digits)))).replace("-", "−");
};

// --- landmarks
const CONFIGURATIONS = {
  all_equal: ["all vectors equal", "total collapse: the encoder ignores its input"],
  classes_collapsed: ["classes collapsed", "each class is one vector, classes form a simplex"],
  random: ["random", "all vectors independent, the mean in d dimensions"],
  orthogonal: ["orthogonal", "views or pairs equal, others orthogonal"],
  simplex: ["simplex", "views or pairs equal, others as far apart as they can be"],
};

function random(key, s, tau) {
  if (theory[`${key}_of_cosine`]) {
    const scale = Math.max(1, s.t, Math.abs(s.b));
    return meanOf((cosine) => theory[`${key}_of_cosine`]({ ...s, cosine }), s.d, 1 / scale);
  }
  const part = (name) => Number(theory[`${key}_${name}`](s));
  const logMean = theory.uniform_bound_loss_at_least({ N: 2, d: s.d, tau }) - Math.log(2) + 1 / tau;
  const fixed = part("own") ? 1 / tau : -Infinity;
  return part("factor") * meanLog(fixed, part("others"), logMean, s.d, tau) - part("pull") / tau;
}

export function landmarksOf(model, state) {
  const s = model.own(state), { key, command } = model, sphere = model.sphere?.(s), rows = [];
  for (const [name, [label, means]] of Object.entries(CONFIGURATIONS)) {
    if (name !== "random" && !theory[`${key}_${name}`]) continue;
    const value = name === "random" ? random(key, s, s.tau ?? 1 / s.t) : at(`${key}_${name}`, s);
    const room = at(`${key}_${name}_needs`, s) ?? 1;
    rows.push({ name, label, means: room > s.d ? `${means}; needs d ≥ ${room}` : means, value });
  }
  rows.sort((x, y) => (y.value ?? -Infinity) - (x.value ?? -Infinity));
  // The optimum of all dimensions, or what the sphere of this one leaves; none where too much cancels.
  const { loss } = optimumOf(model, s), higher = sphere > loss, value = Number.isNaN(loss) ? undefined : higher ? sphere : loss;
  const how = higher ? "by the bound for d dimensions, proved in words" : "by the optimum over all dimensions";
  const means = `no embeddings in d = ${s.d} have less, ${how}`;
  return [...rows, { name: "least", label: "least possible", means, value, result: higher ? "uniform-bound" : command }];
}

// --- optima
const under = (id) => id.replaceAll("-", "_");
/** The cosines of an optimum by the kind of its drawing, and what a result calls them; without a name they are 1. */
const COSINES = {
  classes: { views: "same_instance", same: "same_class", cross: "cross_class" },
  images: { views: "same_instance", cross: "negative" },
  pairs: { positive: "positive", negative: "negative" },
};

function optimumOf(model, s) {
  const { kind, command, key } = model, own = model.theirs?.(s) ?? s, factor = theory[`${key}_factor`]?.(s) ?? 1;
  const value = (name) => theory[`${under(command)}_${name}`]?.(own), found = { kind, loss_from: command };
  for (const [cosine, name] of Object.entries(COSINES[kind])) found[cosine] = value(name) ?? 1;
  found.loss = model.loss?.(s) ?? factor * value("loss");
  if (kind !== "classes") return found;
  const between = value("between_class_variance") ?? Math.max(0, (1 + (s.p - 1) * found.views + s.p * (s.n - 1) * found.same) / (s.n * s.p));
  return { ...found, between, within: value("within_class_variance") ?? Math.max(0, 1 - between) };
}

// --- classes
const below = (x) => (x < 0 ? "below" : "above");
const spread = (m) => (m === 2 ? "opposite" : "a regular simplex");
const labelled = (s) => ({ ...s, B: Math.min(s.B, s.m * s.n) });
const sizes = (loss, ...more) => (s) => [loss, { batch: s.m * s.n, views: s.p, classes: s.m, ...taken(s, more), tau: s.tau, dim: s.d }];
const taken = (s, names) => Object.fromEntries(names.map((k) => [k, s[k]]));

/** Where instances separate if the loss is over random batches, by what an anchor alone does. */
function byBatches(id, s) {
  if (s.B >= s.m * s.n) return [];
  const each = ALONE.map(([name, label]) => [label, at(`${under(id)}_alpha_high_${name}`, s)]);
  return [{
    symbol: "α<sub>high</sub>", note: `over random batches of ${s.B} instances. Of an anchor alone of its class:`,
    value: each[0][1], each, parameter: "alpha", result: id,
    means: (x) => (s.alpha <= x ? "instances stay together" : "instances separate"),
  }];
}

const ALONE = [
  ["attraction", "the attraction is dropped, the logarithm stays"],
  ["term", "the supervised term is dropped"],
  ["renormalise", "the self-supervised term gets the weight 1"],
  ["skip", "all terms are dropped"],
];

const supcl = {
  title: "SupCL", convention: "anchor included (lee2025ssem)", key: "supcl", kind: "classes", own: labelled,
  parameters: ["m", "n", "p", "alpha", "tau", "d", "B"], map: ["tau", "alpha"],
  phase: (s) => (s.alpha <= theory.supcl_threshold_alpha_min(s) ? "classes" : "apart"),
  within: (s) => theory.supcl_optimum_within_class_variance(s),
  needs: (s, phase) => phase === "classes" && theory.supcl_classes_collapsed_needs(s),
  decided: theory.dimension_supcl_threshold_alpha_min,
  says(s) {
    const gap = s.alpha - theory.supcl_threshold_alpha_min(s), margin = `α is ${shown(Math.abs(gap), 3)} ${below(gap)} α<sub>min</sub>`;
    if (gap <= 0) return ["Classes collapse", `Each class is one vector, the ${s.m} classes form ${spread(s.m)}: ${margin}.`];
    if (s.alpha === 1) return ["Classes are not seen", `All ${s.m * s.n} instances form one simplex.`];
    return ["Classes do not collapse", `Instances of a class differ, and classes keep apart: ${margin}.`];
  },
  thresholds: (s) => [
    { symbol: "α<sub>min</sub>", name: "alpha_min", value: theory.supcl_threshold_alpha_min(s), parameter: "alpha", result: "supcl-threshold", means: (x) => (s.alpha > x ? "classes do not collapse" : "classes collapse") },
    { symbol: "τ<sub>max</sub>", name: "tau_max", value: at("supcl_threshold_tau_max", s), parameter: "tau", result: "supcl-threshold",
      none: "classes collapse at every τ", means: (x) => (s.tau < x ? "classes do not collapse" : "classes collapse") },
    ...byBatches("supcl-batches", s),
  ],
  sphere: (s) => theory.uniform_bound_loss_at_least({ N: s.m * s.n * s.p, d: s.d, tau: s.tau }),
  command: "supcl-optimum", given: ["m", "n", "p", "alpha", "tau"],
  explain: sizes("supcl", "alpha"),
  batches: { of: "supcl-threshold", given: ["m", "n", "tau"] },
};

const supclExclusive = {
  ...supcl, convention: "anchor excluded (public code)", key: "supcl_exclusive", reads: "pytorch-metric-learning",
  parameters: ["m", "n", "p2", "alpha", "tau", "d", "B"], own: (s) => labelled({ ...s, p: s.p2 }),
  phase(s) {
    if (s.alpha > theory.supcl_exclusive_alpha_high(s)) return "apart";
    return s.alpha < theory.supcl_exclusive_alpha_low(s) ? "views" : "classes";
  },
  within(s) {
    return optimumOf(this, s).within;
  },
  needs: (s, phase) => phase === "classes" && theory.supcl_exclusive_classes_collapsed_needs(s),
  decided: theory.dimension_supcl_exclusive_alpha_high,
  says(s) {
    const phase = this.phase(s), name = phase === "views" ? "alpha_low" : "alpha_high", sub = name.slice(6);
    const gap = s.alpha - theory[`supcl_exclusive_${name}`](s), margin = `α is ${shown(Math.abs(gap), 3)} ${below(gap)} α<sub>${sub}</sub>`;
    if (phase === "apart") return ["Classes do not collapse", `Instances of a class separate: ${margin}.`];
    if (phase === "views") return ["Views separate", `The views of an instance do not coincide: ${margin}.`];
    return ["Classes collapse", `Each class is one vector, the ${s.m} classes form ${spread(s.m)}: ${margin}.`];
  },
  thresholds: (s) => [
    { symbol: "α<sub>high</sub>", name: "alpha_high", value: theory.supcl_exclusive_alpha_high(s), parameter: "alpha", result: "supcl-exclusive", means: (x) => (s.alpha > x ? "instances separate" : "instances stay together") },
    { symbol: "α<sub>low</sub>", name: "alpha_low", value: theory.supcl_exclusive_alpha_low(s), parameter: "alpha", result: "supcl-exclusive",
      means: (x) => (s.alpha < x ? "views separate" : "views coincide") },
    ...byBatches("supcl-batches-exclusive", s),
  ],
  sphere: undefined, command: "supcl-exclusive", batches: { of: "supcl-exclusive", given: ["m", "n", "p", "tau"] },
};

/** A loss that has one structure at every temperature, named as on the map: with its title, and what it is. */
const always = (phase, title, words, rest) => ({
  kind: phase, map: rest.parameters.slice(0, 1).concat("d"), phase: () => phase, within: () => 0, thresholds: () => [],
  says: (s) => [title, `At every temperature, ${words(s)}.`], ...rest,
});
const all = { own: labelled, parameters: ["m", "n", "p", "tau", "d"], given: ["m", "n", "p", "tau"] };
const collapsing = (rest) => always("classes", "Classes collapse", (s) => `each class is one vector and the ${s.m} classes form ${spread(s.m)}`, { ...all, ...rest });

const supcon = collapsing({
  title: "SupCon", convention: "the paper, pytorch-metric-learning", key: "supcon", command: "supcon", explain: sizes("supcon"),
  sphere(s) {
    return theory[`${this.key}_factor`](s) * theory.uniform_bound_loss_at_least_anchor_out({ n: s.m, p: s.n * s.p, d: s.d, tau: s.tau });
  },
});

const sincere = collapsing({
  title: "SINCERE", convention: "the paper", key: "sincere", command: "sincere", explain: sizes("sincere"),
  sphere: (s) => theory.uniform_bound_loss_at_least({ N: s.m, d: s.d, tau: s.tau }),
});

const cnce = always("merged", "Classes are not told apart", (s) => `the ${s.n} instances of each class form ${spread(s.n)} about the same centre`, {
  ...all, title: "Class-conditional", convention: "lee2025ssem, Proposition A.6", key: "cnce", kind: "classes", command: "cnce-optimum",
  map: ["n", "d"], explain: sizes("cnce"),
});

// --- images
const separate = (rest) => always("images", "Images form a simplex", (s) => `views coincide and the ${s.n} images are as far apart as they can be`, {
  own: (s) => ({ n: s.images, m: s.images, p: s.p2, tau: s.tau, d: s.d }), parameters: ["images", "p2", "tau", "d"], given: ["n", "p", "tau"],
  explain: (s) => [rest.command, { batch: s.n, views: s.p, tau: s.tau, dim: s.d }], ...rest,
});

const simclr = separate({
  title: "SimCLR", convention: "the paper, lightly", key: "simclr", command: "simclr",
  sphere(s) {
    return theory[`${this.key}_factor`](s) * theory.uniform_bound_loss_at_least_anchor_out(s);
  },
});

const dcl = separate({ title: "DCL", convention: "the paper, lightly", key: "dcl", command: "dcl" });

// --- pairs
const paired = (rest) => always("simplex", "Pairs form a simplex", (s) => `both of a pair are one vector, and the ${s.N} pairs are as far apart as they can be`, {
  kind: "pairs", command: "infonce-optimum", needs: theory.dimension_infonce_optimum_loss, ...rest,
  loss: (s) => theory[`${rest.key}_simplex`](s),
});

const clip = paired({
  title: "CLIP", convention: "the paper, open_clip", key: "clip", own: (s) => ({ N: s.N, t: s.t, d: s.d, tau: 1 / s.t }),
  parameters: ["N", "t", "d"], given: ["N", "t"], library: "clip",
  sphere: theory.uniform_bound_loss_at_least_two_towers,
  explain: (s) => ["clip", { batch: s.N, t: s.t, dim: s.d }],
});

const moco = paired({
  title: "MoCo v3", convention: "two directions over the batch, times 2τ", key: "moco_v3", own: (s) => ({ N: s.N, tau: s.tau, d: s.d }),
  parameters: ["N", "tau", "d"], given: ["N", "tau"], reads: "moco-v3", derives: false,
  sphere: (s) => theory.moco_v3_factor(s) * theory.uniform_bound_loss_at_least_two_towers(s),
  explain: (s) => ["moco", { batch: s.N, tau: s.tau, dim: s.d }],
});

const REGIMES = {
  simplex: ["Pairs form a simplex", "Both of a pair are one vector, and pairs are as far apart as they can be"],
  antipodal: ["The towers are antipodal", "All of one tower lie opposite to all of the other: nothing is learned"],
  between: ["Between simplex and antipodal", "The two of a pair differ by a shift that all pairs share, a modality gap"],
};

const sigmoid = {
  title: "SigLIP", convention: "lee2024sigmoid (−b)", key: "sigmoid", kind: "pairs", sign: 1,
  parameters: ["N", "t", "b", "d"], map: ["t", "b"],
  own: (s) => ({ N: s.N, t: s.t, b: s.b, d: s.d }),
  theirs(s) {
    return { ...s, b: this.sign * s.b };
  },
  phase(s) {
    const own = this.theirs(s);
    if (own.b <= theory.sigmoid_threshold_b_antipodal(own)) return "antipodal";
    return own.b >= theory.sigmoid_threshold_b_simplex(own) ? "simplex" : "between";
  },
  within(s) {
    return theory.sigmoid_optimum_x_star(this.theirs(s)) / 2;
  },
  needs: (s, phase) => (phase === "antipodal" ? 1 : phase === "simplex" && theory.sigmoid_simplex_needs(s)),
  says(s) {
    const phase = this.phase(s), name = phase === "antipodal" ? "b_antipodal" : "b_simplex", [title, words] = REGIMES[phase];
    const gap = s.b - this.sign * theory[`sigmoid_threshold_${name}`](this.theirs(s));
    return [title, `${words}: b is ${shown(Math.abs(gap), 3)} ${below(gap)} b<sub>${name.slice(2)}</sub>.`];
  },
  thresholds(s) {
    const own = this.theirs(s), row = (parameter, name, what, value, holds) => ({
      symbol: `${parameter}<sub>${name.slice(2).replace("_", " ")}</sub>`, name, value, parameter, result: "sigmoid-threshold",
      none: `at this bias ${what} is optimal at no t`, means: (x) => `${what} is ${holds(x) ? "" : "not "}optimal`,
    });
    return [
      row("b", "b_simplex", "the simplex", this.sign * theory.sigmoid_threshold_b_simplex(own), (x) => this.sign * (s.b - x) >= 0),
      row("b", "b_antipodal", "antipodal", this.sign * theory.sigmoid_threshold_b_antipodal(own), (x) => this.sign * (s.b - x) <= 0),
      row("t", "t_simplex_max", "the simplex", at("sigmoid_threshold_t_simplex_max", own), (x) => s.t <= x),
      row("t", "t_antipodal_max", "antipodal", at("sigmoid_threshold_t_antipodal_max", own), (x) => s.t <= x),
    ];
  },
  command: "sigmoid-optimum", given: ["N", "t", "b"],
};

const siglip = { ...sigmoid, convention: "SigLIP, open_clip", key: "siglip", sign: -1, library: "siglip",
  explain: (s) => ["siglip", { batch: s.N, t: s.t, b: s.b, dim: s.d }] };
const TIMES = { convention: "SupContrast: times τ/0.07", reads: "supcontrast" };
const GOOGLE = { ...simclr, convention: "google-research: two directions added", key: "google_research", reads: "google-research", derives: false };

/** Losses by name, each under its conventions; the first one is the default. */
export const LOSSES = {
  supcl: [supcl, supclExclusive, { ...supclExclusive, ...TIMES, key: "supcl_supcontrast", derives: false }],
  supcon: [supcon, { ...supcon, ...TIMES, key: "supcontrast", library: "supcontrast" }],
  sincere: [sincere], cnce: [cnce], simclr: [simclr, GOOGLE], dcl: [dcl], moco: [moco], clip: [clip], siglip: [siglip, sigmoid],
};

/** The dimensions that a structure needs. */
const needed = (model, s, phase) => model.needs?.(s, phase) || theory[`dimension_${under(model.command)}_loss`](s);
const room = (model, s, phase) => Math.min(needed(model, s, phase), model.decided?.(s) ?? Infinity);

/** What is optimal if there is room for it; a threshold needs fewer dimensions than the optimum beyond it. */
export function phaseOf(model, s) {
  const phase = model.phase(s);
  return s.d < room(model, s, phase) ? "no room" : phase;
}

/** Everything that is known at a state. */
export function answer(model, state) {
  const s = model.own(state), pure = model.phase(s), optimum = { ...optimumOf(model, s), needs: needed(model, s, pure) };
  const [title, words] = model.says(s), phase = phaseOf(model, s), known = { s, title, words, phase, optimum, thresholds: model.thresholds(s) };
  if (phase !== "no room") return known;
  return { ...known, title: "No room for the optimum", words: `In d ≥ ${room(model, s, pure)}, ${words[0].toLowerCase()}${words.slice(1)}` };
}

/** The commands and the line of Python that give the same. */
export function lines(model, s) {
  const { command, given, library, reads, batches, derives = true } = model, [loss, sizes] = model.explain?.(s) ?? [];
  const convention = (name) => (name ? ` --convention ${name}` : "");
  const flags = (values) => Object.entries(values).map(([k, v]) => (v < 0 ? `--${k}=${v}` : `--${k} ${v}`)).join(" ");
  const python = (values) => Object.entries(values).map(([k, v]) => `${k}=${Number.isInteger(v) ? v : `"${v}"`}`).join(", ");
  const found = derives ? [`cltheory derive ${command} ${flags(taken(s, given))}${convention(library)}`] : [];
  if (batches && s.B < s.m * s.n) found.push(`cltheory derive ${batches.of} ${flags({ ...taken(s, batches.given), batch: s.B })}`);
  if (loss) found.push(`cltheory explain ${loss} ${flags(sizes)}${convention(reads)}`);
  const result = `cl.results["${command}"]${library ? `.in_convention("${library}")` : ""}(${python(taken(s, given))})`;
  return [...found, `import cltheory as cl; ${derives ? result : `cl.explain("${loss}", ${python({ ...sizes, convention: reads })})`}`];
}
