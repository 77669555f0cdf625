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
  Q: { label: "Negatives in the queue", symbol: "Q", min: 3, max: 65536, value: 4096, ...whole },
  B: { label: "Size of a batch", symbol: "B", min: 2, max: 4096, value: 128, ...whole },
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
    const scale = Math.max(1, s.t ?? 1, Math.abs(s.b ?? 1));
    return meanOf((cosine) => theory[`${key}_of_cosine`]({ ...s, cosine }), s.d, 1 / scale, theory[`${key}_kink`]?.(s));
  }
  const part = (name) => Number(theory[`${key}_${name}`](s));
  const logMean = 1 / tau + Math.log(meanOf((cosine) => Math.exp((cosine - 1) / tau), s.d, tau));
  const fixed = part("own") ? 1 / tau : -Infinity;
  return part("factor") * meanLog(fixed, part("others"), logMean, s.d, tau) - part("pull") / tau;
}

export function landmarksOf(model, state) {
  const s = model.own(state), { key, command } = model, sphere = model.sphere?.(s, key), rows = [];
  for (const [name, [label, means]] of Object.entries(CONFIGURATIONS)) {
    if (![name, ...(name === "random" ? ["factor", "of_cosine"] : [])].some((k) => theory[`${key}_${k}`])) continue;
    const value = name === "random" ? random(key, s, s.tau ?? 1 / s.t) : at(`${key}_${name}`, s);
    const room = at(`${key}_${name}_needs`, s) ?? 1;
    rows.push({ name, label, means: room > s.d ? `${means}; needs d ≥ ${room}` : means, value });
  }
  rows.sort((x, y) => (y.value ?? -Infinity) - (x.value ?? -Infinity));
  // The optimum of all dimensions, or what the sphere of this one leaves; none where too much cancels.
  const { loss } = optimumOf(model, s), higher = sphere > loss, value = Number.isNaN(loss) ? undefined : higher ? sphere : loss;
  const how = higher ? "by the bound for d dimensions, proved in words" : "by the optimum over all dimensions";
  const means = `${model.when ? `${model.when}, ` : ""}no embeddings in d = ${s.d} have less, ${how}`;
  return [...rows, { name: "least", label: "least possible", means, value, result: higher ? "uniform-bound" : command }];
}

// --- optima
const under = (id) => id.replaceAll("-", "_");
const spread = (m) => (m === 2 ? "opposite" : "a regular simplex");
/** What may be optimal: its title, what it is in words, and the landmark that has its dimension. */
export const STRUCTURES = {
  classes: ["Classes collapse", (s) => `each class is one vector and the ${s.m} classes form ${spread(s.m)}`, "classes_collapsed"],
  merged: ["Classes are not told apart", (s) => `the ${s.n} instances of each class form ${spread(s.n)} about the same centre`],
  apart: ["Classes do not collapse", (s) => (s.alpha === 1 ? `all ${s.items} instances form one simplex, and classes are not seen` : "instances of a class differ, and classes keep apart")],
  views: ["Views separate", () => "the views of an instance do not coincide"],
  images: ["Images form a simplex", (s) => `views coincide and the ${s.n} images are as far apart as they can be`, "simplex"],
  simplex: ["Pairs form a simplex", (s) => `both of a pair are one vector, and the ${s.N} pairs are as far apart as they can be`, "simplex"],
  orthogonal: ["Pairs are orthogonal", (s) => `both of a pair are one vector, and the ${s.N} pairs are orthogonal to each other`, "orthogonal"],
  antipodal: ["The towers are antipodal", () => "all of one tower lie opposite to all of the other: nothing is learned"],
  between: ["Between simplex and antipodal", () => "the two of a pair differ by a shift that all pairs share, a modality gap"],
};
/** What an optimum has by the kind of its drawing, and what a result calls it; cosines without a name are 1. */
const QUANTITIES = {
  classes: { views: "same_instance", same: "same_class", cross: "cross_class", within: "within_class_variance", between: "between_class_variance" },
  images: { views: "same_instance", images: "negative" },
  pairs: { positive: "positive", negative: "negative" },
};
const resultOf = (model) => model.prefix ?? under(model.command);
/** A state in the terms of the result. */
const inItsTerms = (model, s) => (model.sign ? { ...s, b: model.sign * s.b } : s);
const valueOf = (model, s, name) => theory[`${resultOf(model)}_${name}`]?.(inItsTerms(model, s));

/** How far it is from the purest structure: the variance within a class, or the shift of pairs. */
export function amountOf(model, s) {
  if (model.kind === "pairs") return (valueOf(model, s, "x_star") ?? 0) / 2;
  return model.kind === "images" ? 0 : valueOf(model, s, "within_class_variance");
}

function optimumOf(model, s) {
  const { kind, command, key, batches = {} } = model, factor = theory[`${key}_factor`]?.(s) ?? 1, found = { kind, loss_from: command, amount: amountOf(model, s), factor: factor === 1 ? NaN : factor };
  for (const [quantity, name] of Object.entries(QUANTITIES[kind])) found[quantity] = model[quantity] ?? valueOf(model, s, name) ?? 1;
  found.loss = model.loss?.(s, key) ?? factor * valueOf(model, s, "loss");
  found.drawn = s.B < s.items && batches.loss ? factor * at(`${batches.loss}_loss`, inItsTerms(model, s)) : NaN;
  return found;
}

// --- thresholds: of a result, where a parameter is beyond it on one side, what holds there and what
// else, and which structure that is; and whether it holds at the threshold itself
const row = (result, name, side, over, other, phase) => ({ result, name, side, over, other, phase, parameter: name.split("_")[0] });
const closed = (...about) => ({ ...row(...about), closed: true });
const valueAtLimit = (model, s, { result, name }) => at(`${under(result)}_${name}`, inItsTerms(model, s));
const isBeyond = (model, s, { side, parameter, closed }, value) => Math.sign(side * (inItsTerms(model, s)[parameter] - value)) >= (closed ? 0 : 1);

function limitsOf(model, s, quick) {
  const rows = (model.limits ?? []).filter(({ result }) => result !== "batches-sigmoid" || s.B < s.items).map((limit) => {
    const value = valueAtLimit(model, s, limit), { parameter, name, over, other } = limit, { symbol } = PARAMETERS[parameter];
    const said = value === undefined ? `${other} at any ${symbol}` : isBeyond(model, s, limit, value) ? over : other;
    const sub = name.slice(parameter.length + 1).replace("_", " "), sign = (parameter === "b" && model.sign) || 1;
    return { ...limit, said, symbol: `${symbol}<sub>${sub}</sub>`, value: value === undefined ? value : sign * value };
  });
  if (!model.alone || s.B >= s.items) return rows;
  // Where instances separate if the loss is over random batches, by what an anchor alone does.
  const each = ALONE.map(([name, label]) => [label, quick ? undefined : at(`${under(model.alone)}_alpha_high_${name}`, s)]), [[, value]] = each;
  const note = `over random batches of ${s.B} instances. Of an anchor alone in its class:`, said = s.alpha <= value ? "instances stay together" : "instances separate";
  return [...rows, { symbol: "α<sub>high</sub>", note, value, each, parameter: "alpha", result: model.alone, said: quick ? "…" : value === undefined ? "no such threshold here" : said }];
}

const ALONE = [
  ["attraction", "the attraction is dropped, the logarithm stays"],
  ["term", "the supervised term is dropped"],
  ["renormalise", "the self-supervised term gets the weight 1"],
  ["skip", "all terms are dropped"],
];

// --- classes
const labelled = (s) => ({ ...s, items: s.m * s.n, B: Math.min(s.B, s.m * s.n), batch: s.B });
const sizes = (loss, ...more) => (s) => [loss, { batch: s.m * s.n, views: s.p, classes: s.m, ...taken(s, more), tau: s.tau, dim: s.d }];
/** A loss that has no result of its own over batches, by its phases. */
const over = (name, given, more) => ({ of: (s) => [{ id: "phases", loss: name, at: { ...taken(s, given), ...more?.(s) }, batch: s.batch }], loss: `batches_${name}` });
const drawn = (id, given, loss) => ({ of: (s) => [{ id, at: { ...taken(s, given), B: s.B } }], loss });
const taken = (s, names) => Object.fromEntries(names.map((k) => [k, s[k]]));

const supcl = {
  title: "SupCL", convention: "anchor included (lee2025ssem)", key: "supcl", kind: "classes", own: labelled, pure: "classes",
  parameters: ["m", "n", "p", "alpha", "tau", "d", "B"], map: ["tau", "alpha"], decided: theory.dimension_supcl_threshold_alpha_min,
  limits: [
    row("supcl-threshold", "alpha_min", 1, "classes do not collapse", "classes collapse", "apart"),
    row("supcl-threshold", "tau_max", -1, "classes do not collapse", "classes collapse"),
  ],
  sphere: (s) => theory.uniform_bound_loss_at_least({ N: s.items * s.p, d: s.d, tau: s.tau }),
  command: "supcl-optimum", given: ["m", "n", "p", "alpha", "tau"], decides: ["m", "n", "alpha", "tau"], explain: sizes("supcl", "alpha"),
  alone: "supcl-batches", batches: drawn("supcl-batches", ["m", "n", "p", "tau"]),
};

const supclExclusive = {
  ...supcl, convention: "anchor excluded (public code)", key: "supcl_exclusive", reads: "pytorch-metric-learning",
  parameters: ["m", "n", "p2", "alpha", "tau", "d", "B"], own: (s) => labelled({ ...s, p: s.p2 }),
  decided: theory.dimension_supcl_exclusive_alpha_high,
  limits: [
    row("supcl-exclusive", "alpha_high", 1, "instances separate", "instances stay together", "apart"),
    row("supcl-exclusive", "alpha_low", -1, "views separate", "views coincide", "views"),
  ],
  sphere: undefined, command: "supcl-exclusive", alone: "supcl-batches-exclusive", batches: drawn("supcl-batches-exclusive", ["m", "n", "p", "tau"]),
};

const all = { kind: "classes", own: labelled, map: ["m", "d"], parameters: ["m", "n", "p", "tau", "d", "B"], given: ["m", "n", "p", "tau"] };
const supcon = {
  ...all, pure: "classes", title: "SupCon", convention: "paper, pytorch-metric-learning", key: "supcon", command: "supcon", explain: sizes("supcon"),
  batches: drawn("supcon-batches", all.given, "supcon_batches"),
  sphere: (s, key) => theory[`${key}_factor`](s) * theory.uniform_bound_loss_at_least_anchor_out({ n: s.m, p: s.n * s.p, d: s.d, tau: s.tau }),
};

const sincere = {
  ...all, pure: "classes", title: "SINCERE", convention: "the paper", key: "sincere", command: "sincere", explain: sizes("sincere"), batches: over("sincere", all.given),
  sphere: (s) => theory.uniform_bound_loss_at_least({ N: s.m, d: s.d, tau: s.tau }),
};

const cnce = {
  ...all, pure: "merged", title: "Class-conditional", convention: "lee2025ssem, Proposition A.6", key: "cnce", command: "cnce-optimum",
  map: ["n", "d"], explain: sizes("cnce"), batches: over("cnce", all.given),
};

// --- images
const dcl = {
  title: "DCL", convention: "the paper, lightly", key: "dcl", command: "dcl", kind: "images", pure: "images", map: ["images", "d"],
  own: (s) => ({ n: s.images, m: s.images, p: s.p2, tau: s.tau, d: s.d, items: s.images, B: Math.min(s.B, s.images), batch: s.B }),
  parameters: ["images", "p2", "tau", "d", "B"], given: ["n", "p", "tau"], batches: over("dcl", ["n", "p", "tau"]),
  explain: (s, command) => [command, { batch: s.n, views: s.p, tau: s.tau, dim: s.d }],
};

const simclr = {
  ...dcl, title: "SimCLR", key: "simclr", command: "simclr", batches: drawn("simclr-batches", dcl.given, "simclr_batches"),
  sphere: (s, key) => theory[`${key}_factor`](s) * theory.uniform_bound_loss_at_least_anchor_out(s),
};

// --- pairs
const paired = (s) => ({ N: s.N, t: s.t, d: s.d, items: s.N, B: Math.min(s.B, s.N), batch: s.B });
const clip = {
  title: "CLIP", convention: "the paper, open_clip", key: "clip", kind: "pairs", pure: "simplex", command: "infonce-optimum", map: ["N", "d"],
  own: (s) => ({ ...paired(s), tau: 1 / s.t }), parameters: ["N", "t", "d", "B"], given: ["N", "t"], batches: over("clip", ["N"], (s) => ({ tau: `1/${s.t}` })), library: "clip",
  sphere: theory.uniform_bound_loss_at_least_two_towers,
  loss: (s, key) => theory[`${key}_simplex`](s),
  explain: (s) => ["clip", { batch: s.N, t: s.t, dim: s.d }],
};

const moco = {
  ...clip, title: "MoCo", convention: "v3: two directions, times 2τ", key: "moco_v3", library: undefined,
  own: (s) => ({ N: s.N, tau: s.tau, t: `1/${s.tau}`, d: s.d }), parameters: ["N", "tau", "d"], reads: "moco-v3",
  sphere: (s) => theory.moco_v3_factor(s) * theory.uniform_bound_loss_at_least_two_towers(s),
  explain: (s) => ["moco", { batch: s.N, tau: s.tau, dim: s.d }],
};

const mocoQueue = {
  ...moco, convention: "the paper, lightly: a queue of Q", key: "moco", reads: undefined, map: ["Q", "d"],
  when: "in the mean over the data, with keys of the present encoder",
  own: (s) => ({ N: s.Q + 1, Q: s.Q, tau: s.tau, t: `1/${s.tau}`, d: s.d }), parameters: ["Q", "tau", "d"], sphere: theory.uniform_bound_loss_at_least_two_towers,
  explain: (s) => ["moco", { queue: s.Q, tau: s.tau, dim: s.d }],
};

// The optimum at a bias, and the biases where it changes.
const bothOver = (name) => ({ ...over(name), of: (s) => [["N", "t", "b"], ["N", "t"]].flatMap((given) => over(name, given).of(s)) });
const sigmoid = {
  title: "SigLIP", convention: "lee2024sigmoid (−b)", key: "sigmoid", kind: "pairs", sign: 1, pure: "between",
  parameters: ["N", "t", "b", "d", "B"], map: ["t", "b"], own: (s) => ({ ...paired(s), b: s.b }),
  limits: [
    closed("sigmoid-threshold", "b_simplex", 1, "the simplex is optimal", "the simplex is not optimal", "simplex"),
    closed("sigmoid-threshold", "b_antipodal", -1, "antipodal is optimal", "antipodal is not optimal", "antipodal"),
    closed("sigmoid-threshold", "t_simplex_max", -1, "the simplex is optimal", "the simplex is not optimal"),
    closed("sigmoid-threshold", "t_antipodal_max", -1, "antipodal is optimal", "antipodal is not optimal"),
    closed("batches-sigmoid", "b_simplex", 1, "over random batches the simplex is optimal", "over random batches the simplex is not optimal"),
    closed("batches-sigmoid", "b_antipodal", -1, "over random batches antipodal is optimal", "over random batches antipodal is not optimal"),
  ],
  command: "sigmoid-optimum", given: ["N", "t", "b"], decides: ["N", "t", "b"], batches: bothOver("sigmoid"),
  explain: (s) => ["siglip", { batch: s.N, t: s.t, b: -s.b, dim: s.d }],
};

const siglip = { ...sigmoid, convention: "SigLIP, open_clip", key: "siglip", sign: -1, library: "siglip", batches: { ...bothOver("siglip"), loss: "batches_sigmoid" },
  explain: (s) => ["siglip", { batch: s.N, t: s.t, b: s.b, dim: s.d }] };

const spectral = {
  ...clip, title: "Spectral", convention: "HaoChen et al. (2021), length 1", key: "spectral", command: "phases", input: "spectral", given: ["N"], pure: "orthogonal", negative: 0,
  own: (s) => ({ N: s.N, d: s.d }), parameters: ["N", "d"], library: undefined, when: "for unit vectors", loss: theory.spectral_orthogonal, sphere: undefined,
  explain: (s) => ["spectral", { batch: s.N, dim: s.d }],
};

/** Losses of two functions, each under its name. */
const pairwise = (name) => ({
  title: "Pairwise", convention: name, key: `pairwise_${under(name)}`, prefix: `pairwise_${under(name)}`, kind: "pairs", own(s) { return taken(s, this.parameters); },
  parameters: ["N", ...(SCALED.includes(name) ? ["t"] : []), "d"], map: SCALED.includes(name) ? ["t", "N"] : ["N", "d"],
  command: "pairwise-threshold", given: ["N", ...(SCALED.includes(name) ? ["t"] : [])], input: name, when: "at these values", explain: (s) => [name, { batch: s.N, t: s.t, dim: s.d }],
  phase: (s) => ({ 0: "simplex", 2: "antipodal" })[theory[`pairwise_${under(name)}_x_star`](s)] ?? "between",
});
const SCALED = ["exponential", "softplus-margin"];
const TIMES = { convention: "SupContrast: times τ/0.07", reads: "supcontrast" };
const GOOGLE = { ...simclr, convention: "google-research: two directions", key: "google_research", reads: "google-research" };

/** Losses by name, each under its conventions; the first one is the default. */
export const LOSSES = {
  supcl: [supcl, supclExclusive, { ...supclExclusive, ...TIMES, key: "supcl_supcontrast" }],
  supcon: [supcon, { ...supcon, ...TIMES, key: "supcontrast", library: "supcontrast" }],
  sincere: [sincere], cnce: [cnce], simclr: [simclr, GOOGLE], dcl: [dcl], moco: [mocoQueue, moco], clip: [clip], siglip: [siglip, sigmoid],
  spectral: [spectral], pairwise: [...SCALED, "hinge", "squared-hinge", "cosine-embedding", "distance-margin", "focal", "linear"].map(pairwise),
};

function pureOf(model, s) {
  const passed = (limit) => limit.phase && isBeyond(model, s, limit, valueAtLimit(model, s, limit));
  return model.phase?.(s) ?? model.limits?.find(passed)?.phase ?? model.pure;
}

/** The dimensions that a structure needs. */
const needed = (model, s, phase) => (phase === "antipodal" ? 1 : at(`${model.key}_${STRUCTURES[phase][2]}_needs`, s)) ?? theory[`dimension_${resultOf(model)}_loss`](s);
const room = (model, s, phase) => Math.min(needed(model, s, phase), model.decided?.(s) ?? Infinity);

/** What is optimal if there is room for it; a threshold needs fewer dimensions than the optimum beyond it. */
export function phaseOf(model, s) {
  const phase = pureOf(model, s);
  return s.d < room(model, s, phase) ? "no room" : phase;
}

/** Everything that is known at a state; if there is no time, without what takes longest. */
export function answer(model, state, quick = false) {
  const s = model.own(state), pure = pureOf(model, s), phase = phaseOf(model, s), [title, words] = STRUCTURES[pure];
  const optimum = { ...optimumOf(model, s), needs: needed(model, s, pure) }, thresholds = limitsOf(model, s, quick);
  const near = thresholds.find((row) => row.phase === pure) ?? thresholds.find((row) => row.phase), gap = near && s[near.parameter] - near.value;
  const away = gap === 0 ? "equal to" : `${shown(Math.abs(gap), 3)} ${gap < 0 ? "below" : "above"}`;
  const margin = near && `${PARAMETERS[near.parameter].symbol} is ${away} ${near.symbol}`;
  const said = near ? `${words(s)}: ${margin}` : `${model.when ?? "at every temperature"}, ${words(s)}`;
  const known = { s, phase, optimum, thresholds };
  if (phase === "no room") return { ...known, title: "No room for the optimum", words: `In d ≥ ${room(model, s, pure)}, ${said}.` };
  return { ...known, title, words: `${said[0].toUpperCase()}${said.slice(1)}.` };
}

/** The commands and the lines of Python that give the same. */
export function lines(model, s) {
  const { command, given, library, reads, input, limits = [], batches } = model, [name, sizes] = model.explain?.(s, command) ?? [];
  const told = (values) => Object.entries(values).filter(([, v]) => v !== undefined);
  const flags = (values) => told(values).map(([k, v]) => (v < 0 ? ` --${k}=${v}` : ` --${k} ${v}`)).join("");
  const python = (values) => told(values).map(([k, v]) => `${k}=${Number.isInteger(v) ? v : `"${v}"`}`).join(", ");
  const ids = new Set([command, ...limits.map((limit) => limit.result).filter((id) => !id.startsWith("batches"))]);
  const asked = [...ids].map((id) => ({ id, loss: input, at: taken(s, id === command ? given : model.decides), convention: library }));
  if (s.B < s.items && (!batches.loss || at(`${batches.loss}_loss`, inItsTerms(model, s)) !== undefined)) asked.push(...batches.of(s));
  const commands = asked.map(({ id, loss, at, batch, convention }) => `cltheory derive ${id}${flags({ loss, ...at, batch, convention })}`);
  const inputs = ({ loss, batch }) => (loss ? `.with_inputs(loss="${loss}"${batch ? ', sampling="uniform"' : ""})` : "");
  const terms = ({ convention }) => (convention ? `.in_convention("${convention}")` : "");
  const results = asked.map((one) => `cl.results["${one.id}"]${inputs(one)}${terms(one)}(${python({ ...one.at, B: one.batch ?? one.at.B })})`);
  if (name) commands.push(`cltheory explain ${name}${flags({ ...sizes, convention: reads })}`);
  if (name) results.push(`cl.explain("${name}", ${python({ ...sizes, convention: reads })})`);
  return [...commands, ["import cltheory as cl", ...results].join("\n")];
}
