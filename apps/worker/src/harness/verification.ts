import {
  generatedCheck,
  inputTensors,
  outputCheck,
  type Problem,
  type Tensor,
} from '@tilemark/kernels';
import { createThreadPool } from '../device/thread-pool';

/** What verifying the outputs of one run costs a process of its own. */
export interface VerificationCost {
  /** Inputs and what follows from them, then the first comparison, s of one core. */
  readonly firstS: number;
  /** The comparison of another output of the problem, s of one core; a run has one to three. */
  readonly againS: number;
  /** Most memory the process has held, Node itself included, bytes. */
  readonly peakBytes: number;
}

/** Runs in a child of its own, so that its memory is the verification's; sends a `VerificationCost`. */
export async function measureVerification(n: number): Promise<void> {
  const problem = square(n);
  const output = permuted(problem, n);
  const firstCpu = process.cpuUsage();
  const [a] = inputTensors(problem, { seed: 1 });
  if (!a) throw new TypeError('a product has inputs');
  const check = outputCheck(problem, [a, permutation(n)]);
  const first = check(output);
  const firstS = cpuSince(firstCpu);
  const againCpu = process.cpuUsage();
  const again = check(output);
  const againS = cpuSince(againCpu);
  if (first.worst || again.worst || first.method !== 'freivalds') {
    throw new Error(`the right product of ${n} was not verified by Freivalds`);
  }
  const cost: VerificationCost = {
    firstS,
    againS,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
  process.send?.(cost);
}

/** What the first run of a problem waits for, in a process that has done nothing yet. */
export interface ReferenceCost {
  /** Inputs and what follows from them, on all cores, threads started for it included, s. */
  readonly wallS: number;
}

/**
 * Runs in a child of its own: loops that a check before it had compiled would be faster.
 * Sends a `ReferenceCost`.
 */
export async function measureReference(n: number, threadEntry: URL): Promise<void> {
  const beganMs = performance.now();
  await generatedCheck(square(n), { seed: 1 }, {}, createThreadPool(threadEntry));
  const cost: ReferenceCost = { wallS: (performance.now() - beganMs) / 1e3 };
  process.send?.(cost);
}

/** The product of two n x n matrices in f32. */
export const square = (n: number): Problem => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype: 'f32',
});

/** Time on a core, which a busy machine does not stretch as it does the clock on the wall, s. */
function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

/** B[p][j] is 1 where p = target(j): a product with it costs O(n^2), and checking it what any does. */
function permutation(n: number): Tensor {
  const b = new Float32Array(n * n);
  for (let col = 0; col < n; col++) b[target(col, n) * n + col] = 1;
  return b;
}

/** The product of the inputs' A with `permutation`. */
function permuted(problem: Problem, n: number): Tensor {
  const [a] = inputTensors(problem, { seed: 1 });
  const c = new Float32Array(n * n);
  for (let row = 0; row < n; row++) {
    for (let col = 0; col < n; col++) c[row * n + col] = a?.[row * n + target(col, n)] ?? 0;
  }
  return c;
}

/** A bijection for n that are no multiple of 3. */
const target = (col: number, n: number) => (3 * col + 1) % n;
