// The page: its state, its controls, and what is shown of the answer.
import { LOSSES, PARAMETERS, STRUCTURES, answer, landmarksOf, lines, shown } from "./models.js";
import { fitted, position, stepped, valueAt } from "./scale.js";
import { Drawing, layout } from "./drawing.js";
import { PhaseMap } from "./map.js";

const $ = (id) => document.getElementById(id);
const made = (tag, props = {}, ...inside) => {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...inside);
  return element;
};
const STRONGER = { apart: " (stronger: more spread)", between: " (stronger: nearer to antipodal)" };
const COLOURS = { apart: ["--open", "--wide"], between: ["--open", "--wide"], views: ["--none", "--third"], antipodal: ["--third"], "no room": ["--none"], other: ["--calm"] };

// The page that this one is a frame of; none where a browser keeps files apart.
const frame = window.frameElement, site = frame?.ownerDocument.body;
// The start page has the drawing and the map alone, and a link to the rest.
const strip = location.search === "?strip";
if (strip) Object.assign($("link"), { textContent: "Thresholds, landmarks and commands at this point", target: "_top" });
document.body.classList.toggle("strip", strip);

// --- state
const state = { loss: "supcl", convention: 0, across: "", up: "" };
for (const [name, spec] of Object.entries(PARAMETERS)) state[name] = spec.value;
const model = () => LOSSES[state.loss][state.convention];

function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (Object.hasOwn(LOSSES, given.get("loss"))) state.loss = given.get("loss");
  state.convention = Math.max(0, LOSSES[state.loss].findIndex((m) => m.key === given.get("convention")));
  for (const name of model().parameters) {
    const value = Number(given.get(name));
    if (given.has(name) && Number.isFinite(value)) state[name] = fitted(PARAMETERS[name], value);
  }
  for (const axis of ["across", "up"]) state[axis] = given.get(axis) ?? "";
  restart();
}

function axes() {
  const known = model().parameters, [x, y] = model().map;
  if (!known.includes(state.across)) state.across = x;
  if (!known.includes(state.up) || state.up === state.across) state.up = state.across === y ? x : y;
}

function hash() {
  const own = model().parameters.map((name) => [name, state[name]]);
  return "#" + new URLSearchParams([["loss", state.loss], ["convention", model().key], ...own, ["across", state.across], ["up", state.up]]);
}

// --- controls
function controls() {
  $("losses").querySelectorAll("input").forEach((e) => (e.checked = e.value === state.loss));
  $("convention").replaceChildren(...LOSSES[state.loss].map((m, k) => new Option(m.convention, k, false, k === state.convention)));
  $("sliders").replaceChildren(...model().parameters.map(slider));
  for (const axis of ["across", "up"]) {
    const options = model().parameters.map((name) => new Option(`${PARAMETERS[name].symbol}  ${PARAMETERS[name].label}`, name, false, name === state[axis]));
    $(axis).replaceChildren(...options);
  }
}

function slider(name) {
  const spec = PARAMETERS[name], range = made("input", { type: "range", id: name, min: 0, max: 1000 });
  const number = made("input", { type: "number", step: "any", min: spec.min, max: spec.max });
  number.setAttribute("aria-label", `${spec.label}, as a number`);
  const place = () => {
    range.value = Math.round(1000 * position(spec, state[name]));
    range.setAttribute("aria-valuetext", String(state[name]));
    if (document.activeElement !== number) number.value = state[name];
  };
  const set = (value) => {
    state[name] = fitted(spec, value);
    place();
    changed();
  };
  range.addEventListener("input", () => set(valueAt(spec, range.value / 1000)));
  range.addEventListener("keydown", (e) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[e.key];
    if (!by) return;
    e.preventDefault();
    set(stepped(spec, state[name], by));
  });
  number.addEventListener("input", () => number.value !== "" && Number.isFinite(number.valueAsNumber) && set(number.valueAsNumber));
  number.addEventListener("blur", place);
  place();
  SLIDERS[name] = place;
  return made("div", { className: "slider" }, made("label", { htmlFor: name, innerHTML: `${spec.label} <i>${spec.symbol}</i>` }), number, range);
}
const SLIDERS = {};

// --- what is shown
const link = (id) => `<a href="results/${id.replace(/^batches-.*/, "phases")}/index.html" target="_top" title="${FACTS[id].title}">${id.replace(/^batches-.*/, "phases")}</a>`;

function threshold(row) {
  const spec = PARAMETERS[row.parameter], found = made("div", { className: "threshold" });
  found.innerHTML = `<div class="line"><i>${row.symbol}</i> <b>${shown(row.value, 6)}</b>
    <span class="means">${row.said}</span></div>`;
  if (row.value !== undefined || row.each) {
    const [mark, here] = [row.value, state[row.parameter]].map((x) => 100 * position(spec, x));
    found.append(made("div", { className: "bar", innerHTML: `<s style="left:${mark}%"></s><u style="left:${here}%"></u>` }));
  }
  if (row.each) {
    const lines = row.each.map(([label, value]) => `<dt>${label}</dt><dd>${shown(value, 6)}</dd>`).join("");
    found.append(made("p", { className: "note", textContent: row.note }), made("dl", { className: "each", innerHTML: lines }));
  }
  found.append(made("span", { className: "from", innerHTML: link(row.result) }));
  const formula = (FACTS[`${row.result}@${model().library}`] ?? FACTS[row.result]).formulas[row.name];
  if (formula) {
    const key = `${row.result} ${row.name}`, open = OPEN.has(key), details = made("details", { open });
    details.innerHTML = `<summary>formula</summary>${open ? `<math display="block">${formula}</math>` : ""}`;
    details.addEventListener("toggle", () => details.open !== open && (OPEN[open ? "delete" : "add"](key), changed()));
    found.append(details);
  }
  return found;
}
const OPEN = new Set();

const LABELS = {
  positive: "cosine of a pair", negative: "cosine of others", views: "cosine of two views", images: "cosine of two images",
  same: "cosine within a class", cross: "cosine across classes", within: "within-class variance", between: "between-class variance",
  loss: "loss", factor: "factor in it that this convention adds", drawn: "loss over random batches", needs: "dimensions it needs",
};

function numbers({ optimum }) {
  const known = Object.entries(LABELS).filter(([name]) => !Number.isNaN(optimum[name] ?? NaN));
  const cells = known.map(([name, label]) => `<dt>${label}</dt><dd>${shown(optimum[name], 6)}</dd>`).join("");
  $("numbers").innerHTML = `${cells}<dt>from</dt><dd>${link(optimum.loss_from)}</dd>`;
}

function marks() {
  $("landmarks").replaceChildren(...landmarksOf(model(), state).map((row) => made("div", { className: "mark",
    innerHTML: `<span>${row.label}</span><span class="value">${shown(row.value, 6)}</span><span class="means">${row.means}${row.result ? `: ${link(row.result)}` : ""}</span>` })));
}

// --- updates: once a frame, and what takes long when the sliders rest
const drawing = new Drawing($("drawing"));
const map = new PhaseMap($("map"), (x, y) => {
  state[state.across] = x;
  state[state.up] = y;
  SLIDERS[state.across]();
  SLIDERS[state.up]();
  changed();
});
map.done = (phases) => {
  const style = getComputedStyle(document.documentElement);
  const square = (phase) => style.getPropertyValue((COLOURS[phase] ?? COLOURS.other).at(-1));
  const named = (phase) => (STRUCTURES[phase] ? STRUCTURES[phase][0].toLowerCase() + (STRONGER[phase] ?? "") : "d is too small: only a bound");
  $("legend").innerHTML = phases.map((phase) => `<li><i style="background:${square(phase)}"></i>${named(phase)}</li>`).join("");
};
let waiting = 0, resting = 0, busy = 0;

function changed() {
  if (!waiting) waiting = requestAnimationFrame(show);
  clearTimeout(resting);
  resting = setTimeout(rest, 60);
}

function rest() {
  const late = busy > 8;
  busy = 0;
  if (late) show();
  map.budget = 8;
  marks();
  const part = (text) => made("span", { textContent: text }), same = lines(model(), model().own(state));
  $("same").replaceChildren(...same.map((line) => made("pre", {}, made("code", {}, ...line.split(/(--\S+)/).map(part)))));
  $("link").href = (strip ? "explorer.html" : "") + hash();
  history.replaceState(null, "", hash());
}

function show() {
  const start = performance.now(), found = answer(model(), state, busy > 8), { optimum } = found, [title, words, room] = $("answer").children;
  if (title.textContent !== found.title) title.textContent = found.title;
  words.innerHTML = found.words;
  waiting = 0;
  room.textContent = state.d >= optimum.needs ? "" : `The optimum drawn here needs d ≥ ${optimum.needs}; in d = ${state.d} its loss is a lower bound.`;
  const drawn = layout(optimum, found.s);
  $("caption").textContent = `${drawn.said}. A linear image of vectors with these cosines; drag to turn.`;
  drawing.show(drawn);
  $("thresholds").replaceChildren(...found.thresholds.map(threshold));
  if (!found.thresholds.length) $("thresholds").textContent = model().phase ? "Its result has none in closed form; the map shows where it changes." : "There are none: the structure is always optimal.";
  numbers(found);
  busy = Math.max(busy, performance.now() - start);
  map.budget = Math.max(1, 3 - busy);
  phases();
}

function phases() {
  const style = getComputedStyle(document.documentElement), names = [state.across, state.up], specs = names.map((k) => PARAMETERS[k]);
  const colours = Object.fromEntries(Object.entries(COLOURS).map(([k, v]) => [k, v.map((c) => style.getPropertyValue(c).trim())]));
  map.show(model(), state, names, specs, colours);
  const [x, y] = specs;
  $("left").textContent = `${x.symbol} = ${shown(x.min)}`;
  $("right").textContent = shown(x.max, 6);
  $("bottom").textContent = shown(y.min);
  $("top").textContent = `${y.symbol} = ${shown(y.max, 6)}`;
}

function restart() {
  axes();
  controls();
  changed();
}

for (const [name, [first]] of Object.entries(LOSSES)) {
  const input = made("input", { type: "radio", name: "loss", value: name });
  input.addEventListener("change", () => {
    Object.assign(state, { loss: name, convention: 0, across: "", up: "" });
    restart();
  });
  $("losses").append(made("label", {}, input, made("span", { textContent: first.title })));
}
$("convention").addEventListener("change", (e) => {
  const { sign } = model(); // a bias that is counted the other way round is the same
  state.convention = Number(e.target.value);
  if (sign) state.b *= sign * model().sign;
  restart();
});
for (const axis of ["across", "up"]) $(axis).addEventListener("change", (e) => {
  const other = axis === "up" ? "across" : "up", before = state[axis];
  state[axis] = e.target.value;
  if (state[other] === state[axis]) state[other] = before;
  restart();
});
addEventListener("hashchange", read);
new ResizeObserver(() => requestAnimationFrame(() => {
  if (frame) frame.style.height = `${document.documentElement.offsetHeight}px`;
  drawing.paint();
  map.paint();
})).observe(document.body);

// --- colours: those of the page around this one, else the reader's, or those that the button asks for
const { style } = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
const colour = (scheme) => {
  style.colorScheme = scheme;
  changed();
};
const follow = () => colour(site.dataset.mdColorScheme === "slate" ? "dark" : "light");
system.addEventListener("change", changed);
$("theme").addEventListener("click", () => colour((style.colorScheme || (system.matches ? "dark" : "light")) === "dark" ? "light" : "dark"));
$("theme").hidden = Boolean(site);
if (site) new MutationObserver(follow).observe(site, { attributeFilter: ["data-md-color-scheme"] });
if (site) style.overflow = "hidden"; // the frame is as high as what is in it
if (site) follow();
read();
show();
