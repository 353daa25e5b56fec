import { hash32 } from '../numbers';
import type { Kernel, TunableValue, TunableValues } from './kernel';
import { specialise } from './specialise';
import { defaultsOf } from './variant';

/**
 * Longest source that is tested, in lines: a software GPU takes 7 s to compile the 360 lines of an
 * 8 x 8 block per thread, but 1.5 s for 4 x 4. Longer ones are tested on real GPUs, where every
 * measured run is verified.
 */
const MOST_LINES = 330;

/**
 * A small set of a kernel's variants that covers every value of every tunable, as far as
 * constraints and `runs` allow, and as many pairs of values as possible: errors come from one value
 * or from two together. (A software GPU needs seconds per variant.)
 *
 * @param mostLines longest source that is taken
 */
export function coveringVariants(
  kernel: Kernel,
  runs: (values: TunableValues) => boolean,
  mostLines = MOST_LINES,
): TunableValues[] {
  const candidates = shortVariants(kernel, runs, mostLines).map(({ values, lines }) => {
    const settings = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    return { values, lines, settings, pairs: pairsOf(settings) };
  });
  const settings = new Set(candidates.flatMap((candidate) => candidate.settings));
  const pairs = new Set(candidates.flatMap((candidate) => candidate.pairs));
  const gain = (candidate: (typeof candidates)[number]) =>
    (100 * candidate.settings.filter((setting) => settings.has(setting)).length +
      candidate.pairs.filter((pair) => pairs.has(pair)).length) /
    (100 + candidate.lines);
  const chosen: TunableValues[] = [];
  while (settings.size > 0) {
    const best = candidates.reduce((a, b) => (gain(b) > gain(a) ? b : a));
    chosen.push(best.values);
    for (const setting of best.settings) settings.delete(setting);
    for (const pair of best.pairs) pairs.delete(pair);
  }
  return chosen;
}

/** The default variant of a kernel or, if it is too long or does not run, the shortest that does. */
export function typicalVariant(
  kernel: Kernel,
  runs: (values: TunableValues) => boolean,
): TunableValues {
  const defaults = defaultsOf(kernel.tunables);
  const initial = { values: defaults, lines: linesOf(kernel, defaults) };
  if (initial.lines <= MOST_LINES && runs(defaults)) return defaults;
  // Where none runs, none has to be emitted.
  if (!someCombinations(kernel).some((values) => isValid(kernel, values) && runs(values))) {
    return defaults;
  }
  // Whether one runs takes longer to tell than how long it is.
  const sorted = [initial, ...shortVariants(kernel, () => true)].toSorted(
    (a, b) => a.lines - b.lines,
  );
  return sorted.find(({ values }) => runs(values))?.values ?? defaults;
}

/** Variants of at most so many lines or, if there are none, those with the fewest lines. */
function shortVariants(
  kernel: Kernel,
  runs: (values: TunableValues) => boolean,
  mostLines = MOST_LINES,
) {
  const sized = someCombinations(kernel)
    .filter((values) => isValid(kernel, values) && runs(values))
    .map((values) => ({ values, lines: linesOf(kernel, values) }));
  const fewest = sized.reduce((least, { lines }) => Math.min(least, lines), Infinity);
  const most = Math.max(mostLines, fewest);
  return sized.filter(({ lines }) => lines <= most);
}

/** Most combinations of a kernel's values to consider; of more, a spread-out selection is taken. */
const MOST_COMBINATIONS = 40_000;

/** Both are asked for again by each test of a kernel, and a source takes a while to emit. */
const combinations = new WeakMap<Kernel, readonly TunableValues[]>();
const lengths = new WeakMap<TunableValues, number>();

/** Every combination of values or, if there are too many, a selection spread over all of them. */
function someCombinations(kernel: Kernel): readonly TunableValues[] {
  const known = combinations.get(kernel);
  if (known) return known;
  const { tunables } = kernel;
  const all = tunables.reduce((count, { values }) => count * values.length, 1);
  const count = Math.min(all, MOST_COMBINATIONS);
  const some = Array.from({ length: count }, (_, i) => {
    let rest = all === count ? i : hash32(i) % all;
    return Object.fromEntries(
      tunables.map(({ name, values }) => {
        const value = values[rest % values.length];
        rest = Math.floor(rest / values.length);
        return [name, value as TunableValue];
      }),
    );
  });
  combinations.set(kernel, some);
  return some;
}

const isValid = (kernel: Kernel, values: TunableValues) =>
  kernel.constraints.every(({ holds }) => holds(values));

function linesOf(kernel: Kernel, values: TunableValues): number {
  if (kernel.runsOn !== 'gpu') return 0;
  const [dtype = 'f32'] = kernel.dtypes;
  const lines = lengths.get(values) ?? specialise(kernel, values, dtype).split('\n').length;
  lengths.set(values, lines);
  return lines;
}

function pairsOf(settings: readonly string[]): string[] {
  return settings.flatMap((first, i) =>
    settings.slice(i + 1).map((second) => `${first} ${second}`),
  );
}
