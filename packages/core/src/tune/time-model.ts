/**
 * How long a kind of variants takes on a problem: a sum of parts that can be explained, each with
 * a coefficient that is not negative, fitted to what was measured.
 *
 *   time = start + a steps + b waves x steps + c groups x steps + d groups + e bytes + ...
 *   waves = ceil(groups / resident)
 *
 * A device runs `resident` workgroups of a variant at once, as many as its registers and workgroup
 * memory have room for, and one group too many costs a whole wave (NVIDIA, Matrix Multiplication
 * Background User's Guide, "Wave Quantization"). The number is fitted, too: on an NVIDIA H200 it
 * comes out near whole multiples of its 132 processors. A kernel that has no last wave says so (`work`).
 *
 * What the sum gets wrong near a shape (caches, conflicts) is corrected by its mistakes there.
 */
import {
  addressParts,
  addressText,
  bufferBytes,
  type GpuKernel,
  ifValid,
  type Work as KernelWork,
  kernelById,
  opOf,
  type Problem,
  parseVariant,
  type ResolvedVariant,
} from '@tilemark/kernels';
import { geometricMean } from '../rank/rank';
import type { Observation } from './evidence';
import type { Point } from './space';

/** Spread of screened times of one variant and shape, relative (docs/results/tuning-h200.md). */
export const SCREENED = 0.011;

/** Weight of what was expected before, beside those of the shapes nearby. */
const PRIOR = 0.3;

/** Other kinds know less about how much a class of rows costs. */
const PRIOR_OF_KERNEL = 1;

/** Places this far apart (see `Work.place`) still say something about each other's residuals. */
const REACH = 0.7;

/** How far a class of rows reaches from kind to kind. */
const REACH_OF_KERNEL = 4;

/** Fewest observations of a kind from which its coefficients are fitted. */
export const ENOUGH = 2;

/** Fewest observations that tell how many workgroups run at once: two per coefficient. */
const ENOUGH_FOR_WAVES = 18;

/**
 * Spread of a kind that has no more observations than coefficients: they fit, and prove nothing.
 * On an NVIDIA H200 such predictions were wrong by 0.07 for transposes and 0.65 for products.
 */
const UNKNOWN = 0.4;

/** Workgroups at once that are tried: of the smallest GPU to the largest. */
const RESIDENT = Array.from({ length: 60 }, (_, i) => Math.round(24 * 1.09 ** i));

/** Rounds of descent for each of them, and for the best. */
const ROUNDS = { each: 10, best: 60 };

/** Bytes of a vec4 of f32: rows that start on one are moved whole. */
const VECTOR_BYTES = 16;

/** The place of the steps among the parts. */
const STEPS = 1;

/** The work of a variant on a problem, in the units of the model. */
export interface Work extends Pick<KernelWork, 'steps' | 'groups' | 'waves'> {
  /**
   * Base-2 logarithms of what its residual depends on: the sizes, the workgroups, and the bytes that
   * all rows start on a multiple of, up to a vec4. The last two weigh twice.
   */
  readonly place: readonly number[];
  /** Whether rows are moved as vectors. */
  readonly isAligned: boolean;
  /** What coefficients are for, in the order of the sum; the waves come last. */
  readonly parts: readonly number[];
}

interface Timed extends Work {
  readonly ns: number;
}

interface Seen extends Work {
  /** Logarithm of measured over fitted. */
  readonly residual: number;
}

export interface TimeModel {
  readonly resident: number;
  readonly coefficients: readonly number[];
  readonly seen: readonly Seen[];
  /** Standard deviation of the residuals of the rows that it was fitted to. */
  readonly spread: number;
  /** Whether it was fitted to aligned rows, so that residuals tell what others cost. */
  readonly hasAligned: boolean;
}

/** Facts of a kind that are known before its times. */
interface Known {
  /** The model of the plain dtype, which a kind of fewer times than tell waves apart takes its sum from. */
  readonly plain?: TimeModel | null;
  /** Workgroups at once. */
  readonly resident?: number | undefined;
}

/** An expected residual, and its error. */
export interface Expected {
  readonly residual: number;
  readonly error: number;
}

/** An address without the tunables that only divide the work, as its kernel declares them. */
export function kindOf(address: string): string {
  const { kernel: id, settings } = addressParts(address);
  const kernel = ifValid(() => kernelById(id));
  if (kernel?.runsOn !== 'gpu' || !kernel.splitBy) return address;
  const { splitBy } = kernel;
  return addressText(
    id,
    settings.filter(([name]) => !splitBy.includes(name)),
  );
}

export function workOf(
  { kernel, tunables }: Pick<Point, 'kernel' | 'tunables'>,
  problem: Problem,
): Work {
  const definition = kernelById(kernel) as GpuKernel;
  const op = opOf(problem);
  const [x, y, z] = definition.workgroups(tunables, problem);
  const {
    steps = op.terms(problem.shape),
    groups = x * y * z,
    waves = null,
    sums = 0,
  } = definition.work?.(tunables, problem) ?? {};
  const isAligned = (definition.entryPoint?.(tunables, problem) ?? 'main') !== 'unaligned';
  const { inputs, output } = bufferBytes(problem);
  const bytes = inputs.reduce((sum, size) => sum + size, output);
  const isTwofold = (definition.followUps?.(tunables, problem) ?? []).length > 0;
  const scratch = isTwofold ? (definition.scratchBytes?.(tunables, problem) ?? 0) : 0;
  // A kernel that does not mind where rows begin still pays for pitches that are odd.
  const odd = isAligned && op.sides(problem.shape).some((size) => size % 2 === 1) ? bytes : 0;
  return {
    place: [
      ...op.sizes(problem.shape).map(Math.log2),
      2 * Math.log2(groups),
      2 * Math.log2(startOfRows(problem)),
    ],
    isAligned,
    steps,
    groups,
    waves,
    parts: [
      1,
      steps,
      groups * steps,
      groups * steps * sums,
      groups,
      bytes,
      scratch,
      isTwofold ? 1 : 0,
      odd,
    ],
  };
}

/** Bytes that every row of every matrix starts on a multiple of, up to those of a vec4. */
function startOfRows(problem: Problem): number {
  const { inputs, output } = opOf(problem).stored(problem.shape, problem.dtype);
  const rows = [...inputs, output].map(({ dims, parts: [part] }) =>
    part ? part.bytes / dims.rows : VECTOR_BYTES,
  );
  return Math.min(VECTOR_BYTES, ...rows.map((bytes) => bytes & -bytes));
}

/** The observations of a kind with their work; of few variants and shapes, on many of both. */
function timedOf(observations: readonly Observation[]): Timed[] {
  const variants = new Map<string, ResolvedVariant>();
  return observations.map(({ address, ns, problem }) => {
    const variant = variants.get(address) ?? parseVariant(address);
    variants.set(address, variant);
    return { ...workOf(variant, problem), ns };
  });
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Steps of all waves, one after another. */
const stepsInWaves = ({ groups, steps, waves }: Work, resident: number) =>
  steps * (waves ?? Math.ceil(groups / resident));

/** ns. */
export function timeOf({ coefficients, resident }: TimeModel, work: Work): number {
  const ofWaves = coefficients[work.parts.length] ?? 0;
  return dot(work.parts, coefficients) + ofWaves * stepsInWaves(work, resident);
}

/**
 * Fits a kind by least squared relative error. Rows that are not aligned teach the sum only where
 * a kind has no others: what they cost beside aligned ones is a matter of residuals.
 */
export function fitted(
  observations: readonly Observation[],
  { plain, resident: known }: Known = {},
): TimeModel {
  const all = timedOf(observations);
  const aligned = all.filter(({ isAligned }) => isAligned);
  const hasAligned = aligned.length >= ENOUGH;
  const rows = hasAligned ? aligned : all;
  const { coefficients, resident } =
    plain && rows.length < ENOUGH_FOR_WAVES ? scaledFrom(plain, rows) : leastSquares(rows, known);
  const model = { coefficients, resident, seen: [], spread: 0, hasAligned };
  const residualOf = (timed: Timed) => Math.log(timed.ns / timeOf(model, timed));
  const squares = rows.reduce((sum, row) => sum + residualOf(row) ** 2, 0);
  const freedom = rows.length - 1 - coefficients.filter((coefficient) => coefficient > 0).length;
  return {
    ...model,
    seen: all.map((timed) => ({ ...timed, residual: residualOf(timed) })),
    spread: freedom > 0 ? Math.sqrt(squares / freedom) : UNKNOWN,
  };
}

/** The sum of the plain dtype, times what a few times differ from it by in the mean. */
function scaledFrom(plain: TimeModel, rows: readonly Timed[]) {
  const factor = geometricMean(rows.map((row) => row.ns / timeOf(plain, row))) ?? 1;
  return { ...plain, coefficients: plain.coefficients.map((coefficient) => factor * coefficient) };
}

/** The best coefficients, of all numbers of workgroups at once that are tried or of a known one. */
function leastSquares(rows: readonly Timed[], resident: number | undefined) {
  const count = (rows[0]?.parts.length ?? 0) + 1;
  const last = count - 1;
  const scaled = rows.map(({ ns, parts }) => parts.map((part) => part / ns));
  const products = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count }, (_, j) =>
      scaled.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0),
    ),
  );
  const wanted = products.map((_, i) => scaled.reduce((sum, row) => sum + (row[i] ?? 0), 0));
  const most = Math.max(...rows.map(({ groups }) => groups));
  const tried =
    rows.length < ENOUGH_FOR_WAVES ? [most] : resident === undefined ? RESIDENT : [resident];
  let coefficients: readonly number[] = Array<number>(count).fill(0);
  let best = { loss: Number.POSITIVE_INFINITY, resident: 1, coefficients };
  // Plain loops: this is most of what the first answer of a dtype takes.
  const settle = (atOnce: number, rounds: number) => {
    const line = Array<number>(count).fill(0);
    let wantedOfWaves = 0;
    let isOneWave = true;
    for (let at = 0; at < rows.length; at++) {
      const timed = rows[at];
      const row = scaled[at];
      if (!timed || !row) continue;
      const steps = stepsInWaves(timed, atOnce);
      isOneWave &&= steps === timed.steps;
      const waveSteps = steps / timed.ns;
      wantedOfWaves += waveSteps;
      for (let j = 0; j < last; j++) line[j] = (line[j] ?? 0) + waveSteps * (row[j] ?? 0);
      line[last] = (line[last] ?? 0) + waveSteps * waveSteps;
    }
    wanted[last] = wantedOfWaves;
    for (const [j, product] of products.entries()) product[last] = line[j] ?? 0;
    products[last] = line;
    // In a single wave a step costs what a step of a wave does: the wave has it, so that more cost more.
    const free = isOneWave ? products.with(STEPS, []) : products;
    const from = isOneWave ? coefficients.with(STEPS, 0) : coefficients;
    coefficients = descend(free, wanted, from, rounds);
    const quadratic = coefficients.reduce(
      (sum, c, i) => sum + c * dot(products[i] ?? [], coefficients),
      0,
    );
    const loss = rows.length - 2 * dot(wanted, coefficients) + quadratic;
    if (loss < best.loss) best = { loss, resident: atOnce, coefficients };
  };
  for (const each of tried) {
    settle(each, ROUNDS.each);
    // From here on all are one wave.
    if (each >= most) break;
  }
  coefficients = best.coefficients;
  settle(best.resident, ROUNDS.best);
  return best;
}

/**
 * Coefficients of least squared error, none negative: cyclic coordinate descent on the normal
 * equations (V. Franc et al., Sequential coordinate-wise algorithm for the non-negative least squares
 * problem, 2005).
 */
function descend(
  products: readonly (readonly number[])[],
  wanted: readonly number[],
  from: readonly number[],
  rounds: number,
): number[] {
  const coefficients = [...from];
  for (let round = 0; round < rounds; round++) {
    for (const [i, line] of products.entries()) {
      const diagonal = line[i] ?? 0;
      if (diagonal === 0) continue;
      const rest = dot(line, coefficients) - diagonal * (coefficients[i] ?? 0);
      coefficients[i] = Math.max(0, ((wanted[i] ?? 0) - rest) / diagonal);
    }
  }
  return coefficients;
}

/** The residuals of a kernel's kinds on rows that are not aligned, whose own kind may have none. */
export function expectedOf(models: readonly TimeModel[], work: Work): Expected {
  const seen = models.flatMap((model) => (model.hasAligned ? model.seen : []));
  const unaligned = seen.filter((piece) => !piece.isAligned);
  const none = { residual: 0, error: UNKNOWN };
  return meanNear(unaligned, work, none, { prior: PRIOR_OF_KERNEL, reach: REACH_OF_KERNEL });
}

/**
 * The mean residual near a piece of work and what is left of the spread.
 *
 * @param expected where the kind has not seen rows of this kind
 */
export function near(model: TimeModel, work: Work, expected: Expected | null): Expected {
  const alike = model.hasAligned
    ? model.seen.filter(({ isAligned }) => isAligned === work.isAligned)
    : model.seen;
  const before = {
    residual: expected?.residual ?? 0,
    error: Math.hypot(model.spread, expected?.error ?? 0),
  };
  const { residual, error } = meanNear(alike, work, before, { prior: PRIOR, reach: REACH });
  return { residual, error: Math.max(error, SCREENED) };
}

/** How far a piece of work is from the nearest that a kind was fitted to or corrected by. */
export function distanceTo({ seen }: TimeModel, { place }: Work): number {
  return Math.sqrt(Math.min(...seen.map((piece) => squaredDistance(piece.place, place))));
}

function squaredDistance(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] ?? Number.NaN) - (b[i] ?? Number.NaN)) ** 2;
  return sum;
}

/** The Nadaraya-Watson estimate of a residual, with a prior that weighs like a neighbour. */
function meanNear(
  seen: readonly Seen[],
  { place }: Work,
  before: Expected,
  { prior, reach }: { readonly prior: number; readonly reach: number },
): Expected {
  let weight = prior;
  let sum = prior * before.residual;
  let squares = prior * (before.error ** 2 + before.residual ** 2);
  for (const { place: other, residual } of seen) {
    const nearness = Math.exp(-squaredDistance(place, other) / (2 * reach * reach));
    weight += nearness;
    sum += nearness * residual;
    squares += nearness * residual * residual;
  }
  const residual = sum / weight;
  return { residual, error: Math.sqrt(Math.max(squares / weight - residual ** 2, 0)) };
}
