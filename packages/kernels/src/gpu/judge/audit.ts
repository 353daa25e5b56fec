import type { Kernel } from '../../kernel/kernel';
import { hash32, type Rows } from '../../numbers';
import { DTYPES, type Rounding } from '../../problem/dtype';
import { epilogueError, finisherOf, hasBias, isExactEpilogue } from '../../problem/epilogue';
import { opOf, storedOf } from '../../problem/ops';
import type { Problem } from '../../problem/problem';
import { type InputChoice, isExact } from '../../verify/fills';
import { inputLines } from '../../verify/inputs';
import { boundOf } from '../../verify/precision';
import type { InputLine } from '../../verify/verification';
import { drawSecret } from '../../verify/verify';
import { BufferUsage, MAP_READ } from '../buffers';
import type { DeviceWatch } from '../watch';

/** The audit of a reference that the device made: the host computes some of its elements in f64. */

/** The problem and inputs that a reference is made for. */
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

/** The host's share of an audit: so many multiply-adds, about, and lines each way; some 10 ms. */
const AUDIT = { work: 2 ** 21, least: 8, most: 128 };

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
interface WrongElement {
  readonly row: number;
  readonly col: number;
  readonly got: number;
  readonly want: number;
}

/** An audit whose rows are on their way to the host. */
export interface Audit {
  /** The host's part. Null: nothing is wrong. */
  wrongElement(): Promise<WrongElement | null>;
  abandon(): void;
}

/**
 * Begins to compare a reference with the host where secret rows and columns meet: within half the
 * bound of an output, or exactly where nothing rounds. Once this resolves, it may be written over.
 */
export async function beginAudit(
  watch: DeviceWatch,
  wanted: Wanted,
  want: GPUBuffer,
): Promise<Audit> {
  const { problem, computes, part } = wanted;
  const op = opOf(problem);
  const { norms } = opOf(problem).verification;
  const isCopy = computes === 'copy';
  const [input] = op.inputs(problem.shape);
  const output = op.output(problem.shape);
  // A copy has its input's rows, one after the other.
  const { cols: width } = isCopy && input ? input : output;
  const count = Math.floor(((part.end - part.first) * output.cols) / width);
  const most = Math.floor(Math.sqrt(AUDIT.work / op.terms(problem.shape)));
  const lines = Math.min(Math.max(most, AUDIT.least), AUDIT.most);
  const rows = drawnLines(count, lines, drawSecret());
  const cols = drawnLines(width, lines, drawSecret());
  const sums = norms !== undefined && !isCopy;
  const bytes = width * (sums ? 4 : DTYPES[problem.dtype].bytes);
  const { read, abandon } = await downloadRows(watch, want, rows, bytes);
  return {
    wrongElement: () => wrongElement(wanted, { rows, cols, width, sums, read }),
    abandon,
  };
}

/** The elements where rows and columns of a reference meet, and what has been read of them. */
interface Lines {
  readonly rows: readonly number[];
  readonly cols: readonly number[];
  /** Elements of a row. */
  readonly width: number;
  /** Whether they are sums, which are f32. */
  readonly sums: boolean;
  readonly read: Downloaded['read'];
}

async function wrongElement(
  { problem, computes, choice, part }: Wanted,
  { rows, cols, width, sums, read }: Lines,
): Promise<WrongElement | null> {
  const { elements } = opOf(problem).verification;
  const { bytes, fromDevice, HostArray, isInteger } = DTYPES[problem.dtype];
  const { inputs } = storedOf(problem);
  const orders = inputs.map(({ order }) => order);
  const line = inputLines(problem, choice);
  const numbered = rows.map((row) => row + part.first);
  const right =
    computes === 'copy'
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
  const areExact = isInteger || isExact(problem, choice) || right.scales === null;
  const usual = roundingOf(opOf(problem).terms(problem.shape));
  const rounding = {
    ...usual,
    sumRoundoff: areExact ? 0 : usual.sumRoundoff,
    // The reference takes no `tanh`.
    epilogue: epilogueError(problem, 2 ** -24, 0),
  };
  const bounds = boundOf({ rounding, growth: 1 }, rows.length * cols.length);
  const isEqual = areExact && isExactEpilogue(problem);
  const rowAt = await read();
  for (const [i, row] of rows.entries()) {
    const { memory, skipped } = rowAt(i);
    const got = sums
      ? new HostArray(memory)
      : fromDevice(memory, skipped / bytes + width).subarray(skipped / bytes);
    for (const [j, col] of cols.entries()) {
      const at = i * cols.length + j;
      const element = { row, col, got: got[col] ?? Number.NaN, want: wantAt(at, col) };
      const ofSum = bounds.tolerance * (right.scales?.[at] ?? 0);
      const ofStep = bounds.relative * Math.abs(element.want) + bounds.absolute;
      const bound = isEqual ? 0 : ofSum + ofStep;
      // NaN and infinities are moved as they are.
      if (Object.is(element.got, element.want)) continue;
      if (!(Math.abs(element.got - element.want) <= bound)) return element;
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

interface Downloaded {
  /** Waits for them. */
  read(): Promise<(row: number) => { readonly memory: ArrayBuffer; readonly skipped: number }>;
  abandon(): void;
}

/** Begins to read rows of a buffer in one go: each from the word that it begins in, of which bytes may be the row before's. */
async function downloadRows(
  watch: DeviceWatch,
  buffer: GPUBuffer,
  rows: readonly number[],
  bytes: number,
): Promise<Downloaded> {
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
  const mapped = watch.settled(staging.mapAsync(MAP_READ));
  // Whoever reads them is told.
  mapped.catch(() => undefined);
  return {
    read: async () => {
      try {
        await mapped;
        const all = staging.getMappedRange().slice(0);
        return (i) => ({
          memory: all.slice(i * pitch, (i + 1) * pitch),
          skipped: ((rows[i] ?? 0) * bytes) % 4,
        });
      } finally {
        staging.destroy();
      }
    },
    abandon: () => staging.destroy(),
  };
}
