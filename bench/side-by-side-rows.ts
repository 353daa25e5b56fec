import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { evidenceSchema, shippedEvidence, type Winner } from '@tilemark/core';
import { type Dtype, type OpId, type Problem, parseProblem, shapeText } from '@tilemark/kernels';

/** A row of the side-by-side table. Shapes are MxNxK, or RxC for a transpose. */
export interface Row {
  readonly op: string;
  readonly shape: string;
  readonly dtype: Dtype;
  /** Absent: the tuned variant of the problem and profile. Others are designs to compare with it. */
  readonly variant?: string;
  readonly profile?: string;
  readonly against: 'vendor' | 'copy' | 'fast' | 'tfjs' | 'jax' | 'shipped';
  /** Goal: the smallest ratio of our rate to the other's. */
  readonly goal: number;
}

const warps = 'BM=128,BN=128,BK=16,TM=8,TN=16,UNROLL=16,LANES_DOWN=8,A_TILE=swizzled';
const quarters = `matmul/strassen[${warps}]`;
const streamed = `matmul/stream-k[${warps},WAVE=264]`;
const tiles = (rows: number, order: string) =>
  `transpose/swizzled[TILE_ROWS=${rows},TILE_COLS=64,THREADS_Y=${rows / 4},ORDER=${order}]`;

/** The vendor's f16 always sums in f32, even where ours sums in f16 (f16acc16). */
const product = (shape: string, dtype: Dtype, goal: number, variant?: string): Row => ({
  op: 'matmul',
  shape,
  dtype,
  ...(variant && { variant }),
  against: 'vendor',
  goal,
});

const transpose = (shape: string, variant?: string): Row => ({
  op: 'transpose',
  shape,
  dtype: 'f32',
  ...(variant && { variant }),
  against: 'copy',
  goal: 0.97,
});

export const ROWS: readonly Row[] = [
  product('4096', 'f32', 1),
  product('8192', 'f32', 1),
  { ...product('4096', 'f32', 0.99), profile: 'default', against: 'fast' },
  { ...product('8192', 'f32', 0.99), profile: 'default', against: 'fast' },
  product('4096', 'f16', 0.45),
  product('8192', 'f16', 0.45),
  product('4096', 'f16acc16', 0.6),
  product('8192', 'f16acc16', 0.6),
  product('2048', 'f32', 0.9),
  ...['1024', '1000', '4096x4096x64', '64x4096x4096'].map((shape) => product(shape, 'f32', 0.9)),
  transpose('8192'),
  transpose('16384'),
  // Strassen's error bound is not a classic product's (docs/measure.md).
  ...[quarters, streamed].flatMap((variant) =>
    ['4096', '8192'].map((shape) => product(shape, 'f32', 1, variant)),
  ),
  transpose('16384', tiles(32, 'cols-first')),
];

/** Other WGSL libraries: the goal is twice the better of them. */
export const LIBRARY_ROWS: readonly Row[] = ['1024', '2048', '4096'].flatMap((shape) =>
  (['tfjs', 'jax'] as const).map((against) => ({ ...product(shape, 'f32', 2), against })),
);

/**
 * What a search finds beside the variant that ships. As fast: within half a percent, below which the
 * leaderboard does not tell variants apart.
 */
export const searchRow = ({ op, shape, dtype }: Problem, profile: string): Row => ({
  op,
  shape: Object.values(shape).join('x'),
  dtype,
  profile,
  against: 'shipped',
  goal: 0.995,
});

/** The ceiling of a transpose: a copy of the same bytes. */
export const COPY = 'transpose/copy[WORKGROUP=256]';

/** The best variant that a search found for a problem. */
interface TunedVariant extends Winner {
  readonly problem: Problem;
}

/** The variants of searches that ship, or those of a folder of evidence. */
export async function tunedVariants(folder?: string): Promise<readonly TunedVariant[]> {
  const files = folder === undefined ? shippedEvidence() : await evidenceIn(folder);
  return files.flatMap(({ dtype, measured, op }) =>
    measured.map((found) => ({
      ...found,
      problem: parseProblem({ op, dtype, shape: found.shape }),
    })),
  );
}

const evidenceIn = async (folder: string) =>
  Promise.all(
    (await readdir(folder)).map(async (name) =>
      evidenceSchema.parse(JSON.parse(await readFile(join(folder, name), 'utf8'))),
    ),
  );

/** The file of a folder of evidence that is of a row. */
export const evidenceFile = (folder: string, { dtype, op, profile = 'fast' }: Row): string =>
  join(folder, `${op}-${dtype}-${profile}.json`);

/** The tuned variant's address for a row's problem and profile. Throws Error if there is none. */
export function tunedAddress(
  variants: readonly TunedVariant[],
  { op, shape, dtype, profile = 'fast' }: Row,
): string {
  const asked = parseProblem({ op: op as OpId, shape, dtype: dtype as Dtype });
  const nameOf = (problem: Problem) => [problem.op, problem.dtype, shapeText(problem)].join(' ');
  const found = variants.find(
    (variant) => nameOf(variant.problem) === nameOf(asked) && variant.profile === profile,
  );
  if (!found) throw new Error(`no tuned variant of ${op} ${shape} ${dtype} ${profile}`);
  return found.address;
}
