import {
  type Dtype,
  type MatmulShape,
  opById,
  parseShape,
  parseVariant,
  type TransposeShape,
} from '@tilemark/kernels';
import { onlyValues, type SweepCase } from '../plan/spec';
import tuned from './peak-tuned.json';
import { caseOf, edge, type Suite, square, sweepOf } from './suite';

/** Squares, a rectangle, sides that no tile divides, and a long sum into few elements. */
const products = (n: number): MatmulShape[] => [
  square(n),
  square(n / 2),
  square(n / 4),
  { m: n, n: n / 4, k: n / 2 },
  { m: n - 1, n: n + 1, k: n - 3 },
  { m: n / 16, n: n / 16, k: 4 * n },
];

const matrices = (n: number): TransposeShape[] => [
  { rows: n, cols: n },
  { rows: (3 * n) / 4, cols: n },
  { rows: n - 3, cols: n + 1 },
];

/**
 * Each tuned variant on its own shapes, on the devices whose keys begin so: the findings of searches up to
 * 2026-11-22 (docs/results/tuning-h200.md).
 */
function tunedCases(largest: number): SweepCase[] {
  return tuned.flatMap(({ address, onlyOn, shapes, ...rest }) => {
    const { definition, kernel, tunables } = parseVariant(address);
    const { op } = definition;
    const dtype = rest.dtype as Dtype;
    return shapes
      .map((shape) => parseShape(op, shape))
      .filter((shape) => Math.max(...opById(op).sides(shape)) <= largest)
      .map((shape) => ({
        ...caseOf(kernel, onlyValues(tunables), [shape], [dtype]),
        onlyOn: [onlyOn],
      }));
  });
}

/** The side is a multiple of 16, so that shapes derived from it are whole. */
const ROUND = 16;

export const peak: Suite<'n'> = {
  id: 'peak',
  version: 2,
  title: 'Peak',
  about:
    'The best known kernels on square, rectangular, odd, and skinny shapes, with tuned variants for devices that have them',
  params: [{ ...edge(4096), about: 'Largest side, rounded down to a multiple of 16' }],
  standing: { gpu: { n: 2048 } },
  spec: ({ n: asked }) => {
    const n = asked - (asked % ROUND);
    const matmul = (kernel: string) => caseOf(kernel, {}, products(n), ['f32', 'f16']);
    const transpose = (kernel: string) => caseOf(kernel, {}, matrices(n), ['f32', 'f16']);
    return {
      ...sweepOf([
        ...['naive', 'register-tile', 'warp-tile', 'split-k', 'stream-k', 'strassen'].map((id) =>
          matmul(`matmul/${id}`),
        ),
        caseOf('matmul/subgroup-matrix', {}, products(n), ['f16', 'f16acc16']),
        ...tunedCases(n),
        ...['copy', 'multi-row', 'vec4', 'swizzled'].map((id) => transpose(`transpose/${id}`)),
      ]),
      profiles: ['default', 'fast'],
    };
  },
};
