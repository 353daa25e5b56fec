import { candidatesFor, type Selector } from '@tilemark/core';
import {
  type DeviceLimits,
  type Dtype,
  defaultsOf,
  feasible,
  hash32,
  KERNELS,
  type Problem,
  resolveVariant,
  type Variant,
} from '@tilemark/kernels';
import { group } from 'd3-array';

/** The shapes that engines.mjs draws, and what it tries on each. */

/** Kinds of problems, and out of how many drawn they are so many. */
const KINDS: readonly { readonly of: Pick<Problem, 'op' | 'dtype'>; readonly times: number }[] = [
  { of: { op: 'matmul', dtype: 'f32' }, times: 4 },
  { of: { op: 'matmul', dtype: 'f16' }, times: 3 },
  { of: { op: 'transpose', dtype: 'f32' }, times: 3 },
];

/** Of products, so many have as few rows as a step of decoding. */
const DECODE = { part: 1 / 4, rows: 16 };

const LEAST_SIDE = 192;

/**
 * Problems drawn by a seed: sides from 192 on, as likely to double as to halve, a half of them multiples of
 * 64 and a quarter of 4.
 *
 * @param largest of the sides
 */
export function drawnProblems(seed: number, count: number, largest: number): Problem[] {
  let state = hash32(seed);
  const draw = () => {
    state = hash32(state + 1);
    return state / 2 ** 32;
  };
  const least = Math.min(LEAST_SIDE, largest);
  const side = () => {
    const any = least * (largest / least) ** draw();
    const lot = draw();
    const step = lot < 1 / 2 ? 64 : lot < 3 / 4 ? 4 : 1;
    return Math.min(Math.max(step * Math.round(any / step), 1), largest);
  };
  const kinds = KINDS.flatMap(({ of, times }) => Array<typeof of>(times).fill(of));
  return Array.from({ length: count }, (_, at): Problem => {
    const { op, dtype } = kinds[(at * 7) % kinds.length] ?? { op: 'matmul', dtype: 'f32' as Dtype };
    if (op === 'transpose') return { op, dtype, shape: { rows: side(), cols: side() } };
    const isDecode = draw() < DECODE.part;
    const m = isDecode ? Math.ceil(DECODE.rows * draw()) : side();
    return { op, dtype, shape: { m, n: side(), k: side() } };
  });
}

/**
 * What is worth trying of a problem: of what each device can run, the first that each selector names, then the
 * first of each other kernel that declares candidates.
 *
 * @param first of each selector
 */
export function worthTrying(
  problem: Problem,
  selectors: readonly Selector[],
  devices: readonly DeviceLimits[],
  first: number,
): string[] {
  const chosen = new Set<string>();
  for (const device of devices) {
    const isAble = (variant: Variant) => feasible(variant, problem, device).ok;
    const ranked = selectors.map((selector) => selector.rank(problem, isAble));
    const best = ranked.flatMap((quotes) => quotes.slice(0, first));
    const rest = [...ranked.flat(), ...candidatesFor(problem).filter(isAble)];
    const ofKernels = [...group(rest, ({ kernel }) => kernel)].flatMap(([kernel, [point]]) =>
      point && !best.some((quote) => quote.kernel === kernel) ? [point] : [],
    );
    for (const { address } of [...best, ...ofKernels]) chosen.add(address);
  }
  return [...chosen];
}

/** Every kernel of a problem with its defaults. */
export const byDefaults = ({ op, dtype }: Problem): string[] =>
  KERNELS.filter(
    (kernel) => kernel.op === op && kernel.runsOn === 'gpu' && kernel.dtypes.includes(dtype),
  ).map(({ id, tunables }) => resolveVariant(id, defaultsOf(tunables)).address);
