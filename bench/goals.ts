import { type Family, geometricMean } from '@tilemark/core';
import { bufferBytes, type Dtype, opOf, type Problem } from '@tilemark/kernels';
import type { Side } from './compare';

/** The goals of `side-by-side.mjs --suite`, and their table. */

/** What our rate is divided by. */
export type Against = 'vendor' | 'copy' | 'tfjs' | 'ort' | 'f16';

/** Families of products with weights, which have goals of their own. */
const WEIGHTS: readonly string[] = ['decode-shapes', 'prefill-shapes'];

/** A line of the table: our rate over the other's on all shapes that it is about. */
export interface Goal {
  readonly id: string;
  readonly op: Problem['op'];
  readonly dtype: Dtype;
  readonly against: Against;
  /** Of the geometric mean; absent: it is only looked at. */
  readonly mean?: number;
  readonly worst?: number;
  /** About products with weights; absent: about those of all other families. */
  readonly ofWeights?: true;
  /** Absent: it is about all of its op and dtype. */
  readonly isFor?: (problem: Problem) => boolean;
}

export const GOALS: readonly Goal[] = [
  {
    id: 'f32 / cuBLAS',
    op: 'matmul',
    dtype: 'f32',
    against: 'vendor',
    mean: 1,
    worst: 0.7,
  },
  {
    id: 'f16 with f32 sums / cuBLAS',
    op: 'matmul',
    dtype: 'f16',
    against: 'vendor',
    mean: 0.65,
    worst: 0.33,
  },
  {
    id: 'f16 with f16 sums / cuBLAS (f32 sums)',
    op: 'matmul',
    dtype: 'f16acc16',
    against: 'vendor',
    mean: 0.7,
    worst: 0.4,
  },
  {
    id: 'f32 bound by memory / copy of as many bytes',
    op: 'matmul',
    dtype: 'f32',
    against: 'copy',
    mean: 0.85,
    worst: 0.6,
    isFor: isBoundByMemory,
  },
  {
    id: 'transposes / copy of as many bytes',
    op: 'transpose',
    dtype: 'f32',
    against: 'copy',
    mean: 0.96,
    worst: 0.88,
  },
  {
    id: 'f32 / TensorFlow.js',
    op: 'matmul',
    dtype: 'f32',
    against: 'tfjs',
    mean: 3.3,
    worst: 1.8,
  },
  {
    id: 'f16, B by rows, 1 to 8 rows / copy of as many bytes',
    op: 'matmul',
    dtype: 'f16-nt',
    against: 'copy',
    mean: 0.9,
    worst: 0.75,
    ofWeights: true,
    isFor: hasRows(1, 8),
  },
  {
    id: 'f32, B by rows / cuBLAS, transposed',
    op: 'matmul',
    dtype: 'f32-nt',
    against: 'vendor',
    mean: 1,
    worst: 0.7,
    ofWeights: true,
  },
  {
    id: 'f32, B by rows / TensorFlow.js, transposed',
    op: 'matmul',
    dtype: 'f32-nt',
    against: 'tfjs',
    mean: 3.3,
    worst: 1.8,
    ofWeights: true,
  },
  {
    id: 'f16, B by rows / cuBLAS, transposed',
    op: 'matmul',
    dtype: 'f16-nt',
    against: 'vendor',
    mean: 0.65,
    worst: 0.33,
    ofWeights: true,
  },
  {
    id: 'q4_0, 1 to 4 rows / copy of as many bytes',
    op: 'matmul',
    dtype: 'f16-q4',
    against: 'copy',
    mean: 0.8,
    worst: 0.6,
    ofWeights: true,
    isFor: hasRows(1, 4),
  },
  {
    id: 'q4_0, 1 to 8 rows / ONNX Runtime',
    op: 'matmul',
    dtype: 'f16-q4',
    against: 'ort',
    ofWeights: true,
    isFor: hasRows(1, 8),
  },
  {
    id: 'q4_0, 512 rows and more / ONNX Runtime',
    op: 'matmul',
    dtype: 'f16-q4',
    against: 'ort',
    ofWeights: true,
    isFor: hasRows(512, Number.POSITIVE_INFINITY),
  },
  {
    id: 'q8_0, 1 to 4 rows / copy of as many bytes',
    op: 'matmul',
    dtype: 'f16-q8',
    against: 'copy',
    mean: 0.8,
    worst: 0.6,
    ofWeights: true,
    isFor: hasRows(1, 4),
  },
  {
    id: 'q4_0, 512 rows and more / f16',
    op: 'matmul',
    dtype: 'f16-q4',
    against: 'f16',
    mean: 0.9,
    worst: 0.8,
    ofWeights: true,
    isFor: hasRows(512, Number.POSITIVE_INFINITY),
  },
];

/** The goals of a family's shapes. */
export const goalsOf = ({ id, op }: Pick<Family, 'id' | 'op'>): Goal[] =>
  GOALS.filter((goal) => goal.op === op && (goal.ofWeights ?? false) === WEIGHTS.includes(id));

function hasRows(least: number, most: number) {
  return ({ shape }: Problem): boolean => 'm' in shape && shape.m >= least && shape.m <= most;
}

/** The goal of promised times: how far the mean may be off, and what share lies within 20%. */
const PROMISE = { mean: 0.03, within: 1.2, share: 0.92 };

/** Shapes that a line names. */
const NAMED = 3;

export function bytesOf(problem: Problem): number {
  const { inputs, output } = bufferBytes(problem);
  return inputs.reduce((sum, size) => sum + size, output);
}

/** Fewer than 8 operations per byte: GPUs of today do more while they move one. */
export function isBoundByMemory(problem: Problem): boolean {
  if (problem.op !== 'matmul') return true;
  return opOf(problem).flops(problem.shape) < 8 * bytesOf(problem);
}

/** What was measured for a goal on one shape. */
export interface Row {
  readonly round: number;
  readonly goal: string;
  /** `1x2x3 f32`. */
  readonly problem: string;
  /** Whether evidence has times of the shape, which were left out. */
  readonly isSeen: boolean;
  readonly variant: string;
  readonly predictedNs: number;
  readonly ours: Side;
  readonly other: Side;
  readonly ratio: number;
  readonly ratioInterval: readonly [low: number, high: number];
}

export const ratioText = (ratio: number, [low, high]: readonly [number, number]) =>
  `${ratio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;

/**
 * The goals' table of one round. The interval of a mean is what the 95% intervals of all its medians
 * leave it.
 *
 * @param absences why another side was not measured
 */
export function goalsTable(
  goals: readonly Goal[],
  rows: readonly Row[],
  absences: Partial<Readonly<Record<Against, string>>> = {},
): string {
  const lines = goals.map(({ id, against, mean, worst }) => {
    const ofGoal = rows.filter((row) => row.goal === id);
    const goal = mean === undefined || worst === undefined ? '' : `${mean}, ${worst}`;
    if (ofGoal.length === 0) {
      return [id, 0, '', '', goal, 'not measured', absences[against] ?? 'no shape is of this kind'];
    }
    const least = ofGoal.toSorted((a, b) => a.ratio - b.ratio).slice(0, NAMED);
    const meanOf = (value: (row: Row) => number) => geometricMean(ofGoal.map(value)) ?? Number.NaN;
    const all = meanOf(({ ratio }) => ratio);
    const lowest = least[0]?.ratio ?? Number.NaN;
    return [
      id,
      countText(ofGoal),
      ratioText(all, [
        meanOf(({ ratioInterval: [low] }) => low),
        meanOf(({ ratioInterval: [, high] }) => high),
      ]),
      lowest.toFixed(3),
      goal,
      goal && (all >= (mean ?? 0) && lowest >= (worst ?? 0) ? 'met' : 'not met'),
      least.map(({ problem, ratio }) => `${shapeOf(problem)} ${ratio.toFixed(2)}`).join(', '),
    ];
  });
  return [
    '| | shapes | geometric mean | worst | goal: mean, worst | | worst shapes |',
    '|---|---|---|---|---|---|---|',
    ...[...lines, promiseLine(rows)].map((line) => `| ${line.join(' | ')} |`),
  ].join('\n');
}

/** How the times that the selector promised for its choices compare with what they took. */
function promiseLine(rows: readonly Row[]): (string | number)[] {
  const choices = [...new Map(rows.map((row) => [row.problem, row])).values()].map((row) => ({
    ...row,
    ratio: row.ours.medianNs / row.predictedNs,
  }));
  const { mean, share, within } = PROMISE;
  const off = ({ ratio }: { readonly ratio: number }) => Math.abs(Math.log(ratio));
  const near = choices.filter((choice) => off(choice) <= Math.log(within)).length / choices.length;
  const all = geometricMean(choices.map(({ ratio }) => ratio)) ?? Number.NaN;
  const furthest = choices.toSorted((a, b) => off(b) - off(a)).slice(0, NAMED);
  return [
    'measured / promised time',
    countText(choices),
    all.toFixed(3),
    `${(100 * near).toFixed(0)}% within 20%`,
    `1 ± ${mean}, ${100 * share}%`,
    Math.abs(all - 1) <= mean && near >= share ? 'met' : 'not met',
    furthest.map(({ problem, ratio }) => `${problem} ${ratio.toFixed(2)}`).join(', '),
  ];
}

const countText = (rows: readonly Pick<Row, 'isSeen'>[]) =>
  `${rows.length}, ${rows.filter(({ isSeen }) => !isSeen).length} unseen`;

const shapeOf = (problem: string) => problem.split(' ')[0] ?? problem;
