import { DTYPES, type Rounding } from '../../dtype';
import type { Kernel } from '../../kernel';
import { hash32, type Rows } from '../../numbers';
import { opOf } from '../../ops';
import type { Problem } from '../../problem';
import { compareBits } from '../../verify/compare';
import { type InputChoice, inputBlock, inputTensors, isExact } from '../../verify/inputs';
import type { DeviceVerification } from '../../verify/verification';
import { drawSecret, outputCheck } from '../../verify/verify';
import { BufferUsage, download, MAP_READ } from '../buffers';
import type { DeviceWatch } from '../watch';

/** How the host proves a reference that the device made. */

/** What a reference is made for. */
export interface Wanted {
  readonly problem: Problem;
  readonly computes: Kernel['computes'];
  readonly choice: InputChoice;
  /** On the device, as `choice` makes them. */
  readonly inputs: readonly GPUBuffer[];
  /** Rows of the output, counted through a batch. */
  readonly part: Rows;
}

/**
 * The rounding that a reference is held to: half that of f32 sums, since its blocked sums round
 * less than those of the kernels; the whole below eight blocks, where they save too little: of
 * right references of 32 terms and 4,096 rows, half would refuse one in a hundred.
 */
export const roundingOf = (terms: number): Rounding => ({
  sumRoundoff: terms < 128 ? 2 ** -24 : 2 ** -25,
  store: null,
});

/** Rows of a reference without sums that the host computes too. */
const PROVED_ROWS = 24;

/** A copy of so many first bytes that the host can map. */
export function mappable(watch: DeviceWatch, want: GPUBuffer, size: number): Promise<GPUBuffer> {
  const { device } = watch;
  return watch.scoped('read a reference', () => {
    const usage = BufferUsage.MAP_READ | BufferUsage.COPY_DST;
    const staging = device.createBuffer({ size, usage });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(want, 0, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    return staging;
  });
}

/**
 * What is wrong by f64 in the first elements of a reference, which are copied to `staging`: whole
 * where that is quick, else by secret rows, columns and Freivalds vectors. Null: nothing.
 */
export async function wrongElement(
  watch: DeviceWatch,
  { problem, choice }: Pick<Wanted, 'problem' | 'choice'>,
  staging: GPUBuffer,
) {
  const { HostArray, isInteger } = DTYPES[problem.dtype];
  const rounding = isInteger ? {} : { rounding: roundingOf(opOf(problem).terms(problem.shape)) };
  const options = { ...rounding, exact: isExact(choice.mode), sampled: true };
  try {
    await watch.settled(staging.mapAsync(MAP_READ));
    const check = outputCheck(problem, inputTensors(problem, choice), options);
    return check(new HostArray(staging.getMappedRange())).worst;
  } finally {
    staging.destroy();
  }
}

/** Secret rows, the first and the last, bit for bit. */
export async function wrongRow(
  watch: DeviceWatch,
  { problem, computes, choice, part }: Wanted,
  want: GPUBuffer,
) {
  const op = opOf(problem);
  const [input] = op.inputs(problem.shape);
  const output = op.output(problem.shape);
  // A copy has its input's rows, one after the other.
  const { cols } = computes === 'copy' && input ? input : output;
  const rows = Math.floor(((part.end - part.first) * output.cols) / cols);
  const { bytes, fromDevice } = DTYPES[problem.dtype];
  const secret = drawSecret();
  const some = Array.from({ length: PROVED_ROWS }, (_, i) => hash32(secret + i) % rows);
  const block = (input: number, lines: readonly number[], columns: Rows) =>
    inputBlock(problem, choice, input, lines, columns);
  for (const row of new Set([0, rows - 1, ...some])) {
    const right =
      computes === 'copy'
        ? block(0, [row], { first: 0, end: cols })
        : onDevice(problem).row?.(problem.shape, block, row);
    const begin = Math.floor((row * cols * bytes) / 4) * 4;
    const end = Math.ceil(((row + 1) * cols * bytes) / 4) * 4;
    const read = await download(watch, want, begin, end - begin);
    const skipped = (row * cols * bytes - begin) / bytes;
    const got = fromDevice(read.bytes, skipped + cols).slice(skipped);
    const { worst } = right ? compareBits(got, right, cols) : { worst: null };
    if (worst) return { ...worst, row };
  }
  return null;
}

export function onDevice(problem: Problem): DeviceVerification<Problem['shape']> {
  const { onDevice: found } = opOf(problem).verification;
  if (!found) throw new TypeError(`${problem.op} is verified on the host`);
  return found;
}
