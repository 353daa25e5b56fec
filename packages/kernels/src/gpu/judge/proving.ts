import { DTYPES, type Rounding } from '../../dtype';
import { epilogueError, finisherOf, hasBias, isExactEpilogue } from '../../epilogue';
import type { Kernel } from '../../kernel';
import { hash32, type Rows } from '../../numbers';
import { opOf, storedOf } from '../../ops';
import type { Problem } from '../../problem';
import { type InputChoice, isExact, roundingOn } from '../../verify/fills';
import { inputLines } from '../../verify/inputs';
import type { DeviceVerification, InputLine } from '../../verify/verification';
import { drawSecret } from '../../verify/verify';
import { BufferUsage, MAP_READ } from '../buffers';
import type { DeviceWatch } from '../watch';
import { boundOf } from './shares';

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
 * less than those of the kernels; the whole below 128 terms, where they save too little: of
 * right references of 32 terms and 4,096 rows, half would refuse one in a hundred.
 */
export const roundingOf = (terms: number): Rounding => ({
  sumRoundoff: terms < 128 ? 2 ** -24 : 2 ** -25,
  store: null,
});

/** The host's share of a proof: so many multiply-adds, about, and lines each way; some 10 ms. */
const PROOF = { work: 2 ** 21, least: 8, most: 128 };

/** Lines of `count`: the first, the last, and one at a secret place in each of equal parts. */
function drawnLines(count: number, most: number, secret: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, line) => line);
  const part = count / (most - 2);
  const drawn = Array.from({ length: most - 2 }, (_, i) =>
    Math.floor((i + hash32(secret + i) / 2 ** 32) * part),
  );
  return [...new Set([0, ...drawn, count - 1])];
}

/** A wrong element of a reference, its row counted from the reference's first. */
export interface WrongElement {
  readonly row: number;
  readonly col: number;
  readonly got: number;
  readonly want: number;
}

/**
 * Compares a reference with the host where secret rows and columns meet: within half the bound of an
 * output, or exactly where nothing rounds. Null: nothing is wrong.
 */
export async function wrongElement(
  watch: DeviceWatch,
  { problem, computes, choice, part }: Wanted,
  want: GPUBuffer,
): Promise<WrongElement | null> {
  const op = opOf(problem);
  const { elements, norms } = onDevice(problem);
  const { bytes, fromDevice, HostArray, isInteger } = DTYPES[problem.dtype];
  const isCopy = computes === 'copy';
  const [input] = op.inputs(problem.shape);
  const output = op.output(problem.shape);
  const { inputs } = storedOf(problem);
  const orders = inputs.map(({ order }) => order);
  // A copy has its input's rows, one after the other.
  const { cols: width } = isCopy && input ? input : output;
  const count = Math.floor(((part.end - part.first) * output.cols) / width);
  const terms = op.terms(problem.shape);
  const most = Math.floor(Math.sqrt(PROOF.work / terms));
  const lines = Math.min(Math.max(most, PROOF.least), PROOF.most);
  const rows = drawnLines(count, lines, drawSecret());
  const cols = drawnLines(width, lines, drawSecret());
  const line = inputLines(problem, choice);
  const numbered = rows.map((row) => row + part.first);
  const right = isCopy
    ? { values: copied(line, width, numbered, cols), scales: null }
    : elements(problem.shape, line, numbered, cols, orders);
  const finish = finisherOf(problem);
  const bias = hasBias(problem)
    ? line(inputs.length - 1, { first: 0, step: 1, length: width })
    : null;
  const wantAt = (at: number, col: number) => {
    const value = right.values[at] ?? Number.NaN;
    return finish ? finish(value, bias?.[col] ?? 0) : value;
  };
  const sums = norms !== undefined && !isCopy;
  const read = await downloadRows(watch, want, rows, width * (sums ? 4 : bytes));
  const { flushed = 0 } = roundingOn(problem, choice, {});
  const areExact = isInteger || isExact(problem, choice) || right.scales === null;
  const usual = roundingOf(terms);
  const rounding = {
    ...usual,
    sumRoundoff: areExact ? 0 : usual.sumRoundoff,
    flushed,
    // The reference takes no `tanh`.
    epilogue: epilogueError(problem, 2 ** -24, 0),
  };
  const bounds = boundOf({ rounding, terms, growth: 1 }, rows.length * cols.length);
  const isEqual = areExact && isExactEpilogue(problem);
  for (const [i, row] of rows.entries()) {
    const { memory, skipped } = read(i);
    const got = sums
      ? new HostArray(memory)
      : fromDevice(memory, skipped / bytes + width).subarray(skipped / bytes);
    for (const [j, col] of cols.entries()) {
      const at = i * cols.length + j;
      const found = { row, col, got: got[col] ?? Number.NaN, want: wantAt(at, col) };
      const ofSum = bounds.tolerance * (right.scales?.[at] ?? 0);
      const ofStep = bounds.relative * Math.abs(found.want) + bounds.absolute;
      const bound = isEqual ? 0 : ofSum + ofStep;
      // NaN and infinities are moved as they are.
      if (Object.is(found.got, found.want)) continue;
      if (!(Math.abs(found.got - found.want) <= bound)) return found;
    }
  }
  return null;
}

function copied(
  line: InputLine,
  width: number,
  rows: readonly number[],
  cols: readonly number[],
): number[] {
  return rows.flatMap((row) => {
    const all = line(0, { first: row * width, step: 1, length: width });
    return cols.map((col) => all[col] ?? 0);
  });
}

/** Rows of a buffer in one go: each from the word that it begins in, of which bytes may be the row before's. */
async function downloadRows(
  watch: DeviceWatch,
  buffer: GPUBuffer,
  rows: readonly number[],
  bytes: number,
) {
  const pitch = 4 * (Math.ceil(bytes / 4) + 1);
  const staging = await watch.scoped('read a reference', () => {
    const usage = BufferUsage.MAP_READ | BufferUsage.COPY_DST;
    const memory = watch.device.createBuffer({ size: pitch * rows.length, usage });
    const encoder = watch.device.createCommandEncoder();
    for (const [i, row] of rows.entries()) {
      const begin = Math.floor((row * bytes) / 4) * 4;
      const size = Math.min(Math.ceil(((row + 1) * bytes) / 4) * 4, buffer.size) - begin;
      encoder.copyBufferToBuffer(buffer, begin, memory, i * pitch, size);
    }
    watch.device.queue.submit([encoder.finish()]);
    return memory;
  });
  try {
    await watch.settled(staging.mapAsync(MAP_READ));
    const all = staging.getMappedRange().slice(0);
    return (i: number) => ({
      memory: all.slice(i * pitch, (i + 1) * pitch),
      skipped: ((rows[i] ?? 0) * bytes) % 4,
    });
  } finally {
    staging.destroy();
  }
}

export function onDevice(problem: Problem): DeviceVerification<Problem['shape']> {
  const { onDevice: found } = opOf(problem).verification;
  if (!found) throw new TypeError(`${problem.op} has no reference for devices`);
  return found;
}
