// Sliders: where a value stands between the ends of its parameter, and which value stands there.

const share = (spec, x) => (spec.log ? Math.log(x / spec.min) / Math.log(spec.max / spec.min) : (x - spec.min) / (spec.max - spec.min));

/** From 0 to 1; values beyond the ends stand at the ends. */
export const position = (spec, value) => Math.min(1, Math.max(0, spec.log && value <= 0 ? 0 : share(spec, value)));

/** The value there, with as many digits as one can point at. */
export function valueAt(spec, where) {
  const raw = spec.log ? spec.min * (spec.max / spec.min) ** where : spec.min + where * (spec.max - spec.min);
  if (spec.step) return fitted(spec, Number((Math.round(raw / spec.step) * spec.step).toFixed(6)));
  return fitted(spec, spec.integer ? raw : Number(raw.toPrecision(3)));
}

/** The nearest value that the parameter may have. */
export const fitted = (spec, value) => Math.min(spec.max, Math.max(spec.min, spec.integer ? Math.round(value) : value));

/** The next value up or down, for the keys of a slider. */
export function stepped(spec, value, by) {
  const where = position(spec, value) + by / 100, next = valueAt(spec, Math.min(1, Math.max(0, where)));
  return spec.integer && next === value ? fitted(spec, value + Math.sign(by)) : next;
}
