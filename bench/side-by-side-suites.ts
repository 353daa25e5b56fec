// side-by-side.mjs --suite: what the selector answers on shapes of families, as if each were new (its
// own measurements are left out of the evidence), beside the other side. Suites take turns, and each
// is taken in an order that covers it evenly wherever the budget ends.
import { pathToFileURL } from 'node:url';
import {
  type Environment,
  FAMILIES,
  geometricMean,
  type Observation,
  observationsOf,
  outcomeReason,
  type PolicyId,
  type Prediction,
  type Profile,
  Selector,
  shippedBeside,
  shippedEvidence,
} from '@tilemark/core';
import {
  bufferBytes,
  DTYPES,
  type Dtype,
  hash32,
  opById,
  opOf,
  type Problem,
  parseShape,
  parseVariant,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import { Runner } from '../apps/worker/src/child/runner';
import { compare, type Side } from './compare';
import { matching } from './flags';
import { COPY } from './side-by-side-rows';
import { capped } from './tilemark';

type Against = 'vendor' | 'copy' | 'tfjs' | 'jax';
const LIBRARIES: ReadonlySet<Against> = new Set(['tfjs', 'jax']);
/** The other libraries compile and warm up for a second or two: one shape in so many is theirs, too. */
const LIBRARY_STRIDE = 4;

/** A line of the summary: our rate over the other's on all shapes that it is about. */
interface Goal {
  readonly id: string;
  readonly op: Problem['op'];
  readonly dtype: Dtype;
  readonly against: Against;
  readonly mean: number;
  readonly worst: number;
  readonly isFor?: (problem: Problem) => boolean;
}

const goal = (
  ...[id, dtype, against, mean, worst, isFor]: readonly [
    string,
    Dtype,
    Against,
    number,
    number,
    Goal['isFor']?,
  ]
): Goal => ({ id, op: 'matmul', dtype, against, mean, worst, ...(isFor && { isFor }) });

export const GOALS: readonly Goal[] = [
  goal('f32 / cuBLAS', 'f32', 'vendor', 0.95, 0.7),
  goal('f16 with f32 sums / cuBLAS', 'f16', 'vendor', 0.55, 0.4),
  goal('f16 with f16 sums / cuBLAS (f32 sums)', 'f16acc16', 'vendor', 0.7, 0.45),
  goal('f32 bound by memory / copy of as many bytes', 'f32', 'copy', 0.9, 0.8, isBoundByMemory),
  { ...goal('transposes / copy of as many bytes', 'f32', 'copy', 0.95, 0.85), op: 'transpose' },
  goal('f32 / TensorFlow.js', 'f32', 'tfjs', 2, 1.3),
  goal('f32 / jax-js', 'f32', 'jax', 2, 1.3),
];

function bytesOf(problem: Problem): number {
  const { inputs, output } = bufferBytes(problem);
  return inputs.reduce((sum, size) => sum + size, output);
}

/** Fewer than 8 operations per byte: GPUs of today do more while they move one. */
export function isBoundByMemory(problem: Problem): boolean {
  if (problem.op !== 'matmul') return true;
  return opOf(problem).flops(problem.shape) < 8 * bytesOf(problem);
}

export interface Row {
  readonly goal: string;
  readonly problem: string;
  readonly variant: string;
  readonly predictedNs: number;
  readonly ours: Side;
  readonly other: Side;
  readonly ratio: number;
  readonly ratioInterval: readonly [low: number, high: number];
}

export interface SuitesOptions {
  /** Ids of families, separated by commas. */
  readonly suites: string;
  /** No shape is begun after this. */
  readonly seconds: number;
  readonly profile: Profile;
  /** Caps the dimensions. */
  readonly largest: number;
  readonly policy: PolicyId;
  /** The built `tilemark`. */
  readonly program: string;
  /** Null: there is no such side here. Throws Error. */
  readonly others: (against: Exclude<Against, 'copy'>, problem: Problem) => Promise<Side | null>;
  readonly print: (text: string) => void;
  /** Called after each shape. */
  readonly save: (environment: Environment | null, results: readonly object[]) => Promise<void>;
}

export async function besideSuites(options: SuitesOptions): Promise<void> {
  const { suites, seconds, policy, profile, print } = options;
  const problems = problemsOf(suites, options.largest);
  const entry = new URL('child.mjs', pathToFileURL(options.program));
  const runner = new Runner({ entry, device: 'auto' });
  let environment: Environment | null = null;

  const timed = async ({ kernel, tunables }: Variant, problem: Problem): Promise<Side | string> => {
    const variant = { kernel, tunables };
    const run = await runner.run({ variant, problem, profile, policy, seed: 1 });
    environment = run.environment;
    if (run.outcome.kind !== 'measured') return outcomeReason(run.outcome) ?? run.outcome.kind;
    const { medianNs, lowNs, highNs } = run.outcome.measurement.cold;
    return { medianNs, intervalNs: [lowNs, highNs] };
  };
  const ours = async (problem: Problem) => {
    const reasons: string[] = [];
    for (const choice of choicesFor(problem)) {
      const side = await timed(choice, problem);
      if (typeof side !== 'string') return { choice, side };
      // Evidence of another device may favour what this one cannot run.
      reasons.push(`${choice.address}: ${side}`);
    }
    throw new Error(reasons[0] ?? 'no evidence for this op and dtype');
  };
  const copy = async (problem: Problem): Promise<Side> => {
    const elements = bytesOf(problem) / 8;
    const cols = problem.op === 'transpose' ? problem.shape.cols : Math.min(4096, elements);
    const shape = { rows: Math.ceil(elements / cols), cols };
    const side = await timed(parseVariant(COPY), { op: 'transpose', shape, dtype: 'f32' });
    if (typeof side === 'string') throw new Error(`${COPY}: ${side}`);
    return side;
  };

  const rows: Row[] = [];
  const failures: { goal: string; problem: string; why: string }[] = [];
  const endMs = performance.now() + 1e3 * seconds;
  let begun = 0;
  try {
    print('| problem | variant | beside | ratio |\n|---|---|---|---|');
    for (const each of problems) {
      if (performance.now() > endMs) break;
      begun++;
      // Each side once, though several goals are about it.
      const sides = new Map<string, Promise<unknown>>();
      const once = <T>(key: string, measure: () => Promise<T>): Promise<T> => {
        const known = sides.get(key) ?? measure();
        sides.set(key, known);
        return known as Promise<T>;
      };
      for (const { id, dtype, against, isFor } of GOALS.filter(({ op }) => op === each.op)) {
        const problem = { ...each, dtype };
        if (isFor?.(problem) === false) continue;
        if (LIBRARIES.has(against) && begun % LIBRARY_STRIDE !== 1) continue;
        const text = `${shapeText(problem)} ${dtype}`;
        try {
          const other = await (against === 'copy'
            ? copy(problem)
            : once(`${against} ${DTYPES[dtype].element}`, () => options.others(against, problem)));
          if (!other) continue;
          const { choice, side } = await once(dtype, () => ours(problem));
          const { ratio, ratioInterval } = compare(side, other, { goal: 0, isCapped: false });
          const { address: variant, ns: predictedNs } = choice;
          rows.push({
            ...{ goal: id, problem: text, variant, predictedNs },
            ...{ ours: side, other, ratio, ratioInterval },
          });
          print(`| ${text} | ${variant} | ${against} | ${ratioText(ratio, ratioInterval)} |`);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          failures.push({ goal: id, problem: text, why });
          print(`| ${text} | | ${against} | ${why} |`);
        }
      }
      await options.save(environment, [...rows, ...failures]);
    }
  } finally {
    await runner.close();
  }
  print(`\n${begun} of ${problems.length} shapes, ${failures.length} rows failed\n`);
  print(summary(rows));
}

/**
 * The problems of some families in turn, in f32; no batches, which the others are not asked for.
 * Exits with 2 if there is no such family.
 */
function problemsOf(suites: string, largest: number): Problem[] {
  const pattern = `^(${suites.replaceAll(',', '|')})$`;
  const families = matching(FAMILIES, ({ id }) => id, { flag: '--suite', pattern });
  const lists = families.map(({ op, shapes }) => {
    const { batch, sides } = opById(op);
    const texts = shapes
      .filter((shape) => batch(shape) === 1)
      .map((shape) => capped(sides(shape).join('x'), largest));
    return [...new Set(texts)]
      .toSorted((a, b) => hash32(texts.indexOf(a)) - hash32(texts.indexOf(b)))
      .map((text) => ({ op, shape: parseShape(op, text), dtype: 'f32' }) as Problem);
  });
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

/**
 * What the selector would answer if nobody had measured this shape, best first. Evidence ships for
 * the profile `fast`; its order serves both.
 */
function choicesFor(problem: Problem): Prediction[] {
  const text = shapeText(problem);
  const file = shippedEvidence().find(
    ({ op, dtype }) => op === problem.op && dtype === problem.dtype,
  );
  const isOther = (observation: Observation) => shapeText(observation.problem) !== text;
  const others = (file ? observationsOf(file) : []).filter(isOther);
  const beside = (file ? shippedBeside(file) : []).filter(isOther);
  return new Selector(others, beside).rank(problem, () => true).slice(0, 4);
}

const ratioText = (ratio: number, [low, high]: readonly [number, number]) =>
  `${ratio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;

/** The goals' table. The interval of a mean is what the 95% intervals of all its medians leave it. */
export function summary(rows: readonly Row[]): string {
  const lines = GOALS.flatMap(({ id, mean, worst }) => {
    const ofGoal = rows.filter((row) => row.goal === id);
    const least = ofGoal.toSorted((a, b) => a.ratio - b.ratio)[0];
    if (!least) return [];
    const meanOf = (value: (row: Row) => number) => geometricMean(ofGoal.map(value)) ?? Number.NaN;
    const all = meanOf(({ ratio }) => ratio);
    const interval = [
      meanOf((row) => row.ratioInterval[0]),
      meanOf((row) => row.ratioInterval[1]),
    ] as const;
    const isMet = all >= mean && least.ratio >= worst;
    return [
      [
        ...[id, ofGoal.length, ratioText(all, interval)],
        `${ratioText(least.ratio, least.ratioInterval)} at ${least.problem}`,
        ...[`${mean}, ${worst}`, isMet ? 'met' : 'not met'],
      ].join(' | '),
    ];
  });
  return [
    '| | shapes | geometric mean | worst | goal: mean, worst | verdict |',
    '|---|---|---|---|---|---|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
}
