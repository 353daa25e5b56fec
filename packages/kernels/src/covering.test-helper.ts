import type { Kernel, TunableValues } from './kernel';
import { combinations } from './values';

/** A software GPU takes up to 3 s to compile one. */
const MOST = 20;

/**
 * Variants of a kernel chosen so that values of different tunables meet, as far as
 * constraints and `runs` let them: errors come from one value or from two together,
 * so this finds them without running the whole product. Each is the one that brings
 * the most pairs not met before; every value is among the first of them, and pairs
 * still open after 20 are left out.
 */
export function coveringVariants(
  kernel: Kernel,
  runs: (values: TunableValues) => boolean,
): TunableValues[] {
  const axes = Object.fromEntries(kernel.tunables.map(({ name, values }) => [name, values]));
  const candidates = combinations(axes)
    .filter((values) => kernel.constraints.every((c) => c.holds(values)) && runs(values))
    .map((values) => ({ values, pairs: pairsOf(values) }));
  const open = new Set(candidates.flatMap(({ pairs }) => pairs));
  const chosen: TunableValues[] = [];
  while (open.size > 0 && chosen.length < MOST) {
    const gain = (pairs: readonly string[]) => pairs.filter((pair) => open.has(pair)).length;
    const best = candidates.reduce((a, b) => (gain(b.pairs) > gain(a.pairs) ? b : a));
    chosen.push(best.values);
    for (const pair of best.pairs) open.delete(pair);
  }
  return chosen;
}

/** Every two settings of a variant; a lone tunable is paired with itself. */
function pairsOf(values: TunableValues): string[] {
  const settings = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return settings.flatMap((first, i) => settings.slice(i).map((second) => `${first} ${second}`));
}
