// Sliders: where a value stands between the ends of its parameter, and which value stands there.

const share = (spec, x) => (spec.log ? Math.log(x / spec.min) / Math.log(spec.max / spec.min) : (x - spec.min) / (spec.max - spec.min));

/** From 0 to 1; values beyond the ends stand at the ends. */
export const position = (spec, value) => Math.min(1, Math.max(0, spec.log && value <= 0 ? 0 : share(spec, value)));

/** The value there, with as many digits as one can point at. */
export function valueAt(spec, where) {
  const raw = spec.log ? spec.min * (spec.max / spec.min) ** where : spec.min + where * (spec.max - spec.min);
  return fitted(spec, spec.log && !spec.integer ? Number(raw.toPrecision(3)) : raw);
}

/** The nearest value that the parameter may have. */
export function fitted(spec, value) {
  const step = spec.integer ? 1 : spec.step;
  const near = step ? Number((Math.round(value / step) * step).toFixed(6)) : value;
  return Math.min(spec.max, Math.max(spec.min, near));
}

/** The next value up or down, for the keys of a slider. */
export function stepped(spec, value, by) {
  const where = position(spec, value) + by / 100, next = valueAt(spec, Math.min(1, Math.max(0, where)));
  return spec.integer && next === value ? fitted(spec, value + Math.sign(by)) : next;
}
