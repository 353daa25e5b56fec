/**
 * The scale of a log axis, and its ticks, which are drawn by marks of their own:
 * `Plot.axisY(ticks, { text: format })`. Left to itself, Plot asks d3 which labels of a log
 * scale to leave out, whatever it is told to write.
 */
export interface LogAxis {
  readonly scale: { readonly type: 'log'; readonly domain: number[] };
  readonly ticks: number[];
  readonly format: (value: number) => string;
}

/** Ratios of the ends from which only decades are marked, and from which not even all of those. */
const DECADES_FROM = 300;
const MOST_DECADES = 7;

const grouped = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/**
 * A log axis around some positive values. It begins and ends at a labelled tick, so that no
 * value lies outside of what is labelled: at 1, 2 or 5 of a decade where few decades are
 * shown, else at whole decades, else at every second or third one.
 *
 * @param format of a tick's value; plain digits without it (`0.2`, `20,000`)
 */
export function logAxis(
  values: readonly number[],
  format: (value: number) => string = (value) => grouped.format(value),
): LogAxis {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const mantissas = high / low < DECADES_FROM ? [1, 2, 5] : [1];
  // Ends are let lie on a tick that they miss by a rounding error.
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.ceil(Math.log10(high) - 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / MOST_DECADES));
  const candidates = Array.from({ length: last + step - first + 1 }, (_, index) => first + index)
    .filter((power) => (power - first) % step === 0)
    .flatMap((power) => mantissas.map((mantissa) => Number(`${mantissa}e${power}`)));
  const from = candidates.findLast((tick) => tick <= low * (1 + 1e-9)) ?? low;
  const to = candidates.find((tick) => tick >= high * (1 - 1e-9)) ?? high;
  // One tick is no axis: values that all lie on it are shown in the decade's next part.
  const domain = from === to ? [from, candidates.find((tick) => tick > to) ?? to * 2] : [from, to];
  const ticks = candidates.filter((tick) => tick >= from && tick <= (domain[1] ?? to));
  return { scale: { type: 'log', domain }, ticks, format };
}
