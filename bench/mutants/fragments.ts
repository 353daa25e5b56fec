import {
  type GpuKernel,
  kernelById,
  type MatmulShape,
  type TunableValues,
} from '@tilemark/kernels';
import { emulated } from '../../packages/kernels/src/matmul/emulated-fragments.test-helper';
import type { Mutant } from './mutant';

/** Small tiles, since a software GPU compiles large ones for minutes. */
const TILE: TunableValues = { BM: 16, BN: 32, BK: 64, WM: 16, WN: 16 };

/** A right kernel of fragments of bytes, multiplied by hand, with some of its text replaced. */
function mismultiplied(
  name: string,
  [from, to]: readonly [from: string | RegExp, to: string],
  on: (shape: MatmulShape) => boolean,
): Mutant {
  const right = emulated(kernelById('matmul/subgroup-matrix-bytes') as GpuKernel);
  return {
    name: `fragments of bytes: ${name}`,
    isWrongOn: ({ dtype, shape }) => dtype === 'i8-nt' && on(shape as MatmulShape),
    kernel: {
      ...right,
      tunables: right.tunables.map((tunable) => {
        const value = TILE[tunable.name] ?? tunable.default;
        return { ...tunable, values: [value], default: value };
      }),
      id: `matmul/mutant-fragments-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
      wgsl: (values, dtype, written) => {
        if (typeof right.wgsl === 'string') throw new TypeError('its shader is not emitted');
        const source = right.wgsl(values, dtype, written);
        const wrong = source.replaceAll(from, to);
        if (wrong === source) throw new Error(`nothing in ${dtype} is ${String(from)}`);
        return wrong;
      },
    },
  };
}

const hasEdge = ({ k }: MatmulShape) => k % Number(TILE.BK) > 0;
const hasWhole = ({ k }: MatmulShape) => k >= Number(TILE.BK);
/** Rows of C do not start on eight sums: those are stored one by one. */
const isUnaligned = ({ n, k }: MatmulShape) => n % 8 > 0 || k % 16 > 0;

const saturating = (bits: number) =>
  [
    /c\.e\[i\] \+= (.*);/g,
    `c.e[i] = clamp(c.e[i] + $1, -${2 ** bits}, ${2 ** bits - 1});`,
  ] as const;

/** Products by 8-bit fragments, each wrong in one way. */
export const FRAGMENTS: readonly Mutant[] = [
  mismultiplied(
    'the edge of K left out',
    [/let has_edge = .*;/g, 'let has_edge = false;'],
    hasEdge,
  ),
  mismultiplied(
    'the last whole tile of K left out',
    [/let whole = (.*);/g, 'let whole = max($1, 1) - 1;'],
    hasWhole,
  ),
  mismultiplied(
    'what lies beyond K not zeroed',
    [/select\(vec4u\(0\), (.*), k.* <= last\)/g, '$1'],
    hasEdge,
  ),
  mismultiplied(
    'columns beyond C stored',
    [' && to_col + i < shape.n', ''],
    (shape) => isUnaligned(shape) && shape.n % 32 > 0,
  ),
  mismultiplied('rows beyond C stored', [/to_row < shape\.m && /g, ''], ({ m }) => m % 16 > 0),
  mismultiplied("B's fragments transposed", ['Fragment(true,', 'Fragment(false,'], hasWhole),
  mismultiplied('sums that saturate at 2^15', saturating(15), hasWhole),
  mismultiplied('sums that saturate at 2^20', saturating(20), hasWhole),
  mismultiplied(
    'the second step of a tile for the first',
    [/PITCH \+ 2, /g, 'PITCH + 0, '],
    hasWhole,
  ),
];
