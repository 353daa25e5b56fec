import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { ClockReading, Clocks } from '@tilemark/core';
import type { Card } from './cards';

/** Bits of `clocks_event_reasons.active` that slow a GPU down, in NVML's words. */
const LIMITS: readonly (readonly [bit: bigint, name: string])[] = [
  [0x4n, 'power cap'],
  [0x8n, 'hardware slowdown'],
  [0x20n, 'software thermal slowdown'],
  [0x40n, 'hardware thermal slowdown'],
  [0x80n, 'hardware power brake'],
];

const QUERY = 'clocks.sm,clocks.mem,temperature.gpu,power.draw,clocks_event_reasons.active,name';

/** Which GPU is read: the card, or the first of the name. */
interface Read {
  readonly name: string;
  readonly card?: Card;
}

const argsFor = ({ card }: Read): string[] => [
  ...(card ? ['-i', card.uuid] : []),
  ...[`--query-gpu=${QUERY}`, '--format=csv,noheader,nounits'],
];

/**
 * The clocks of a GPU, from the NVIDIA driver's own tool; null
 * without that.
 */
export async function readNvidiaClocks(read: Read): Promise<Clocks | null> {
  const output = await promisify(execFile)('nvidia-smi', argsFor(read), { timeout: 5_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return parseClocks(output, read.name);
}

/** Between two readings of a watch, ms: about a batch of samples. */
const WATCH_EVERY_MS = 100;

/** A reading older than this says nothing about now, ms: the tool has ended or hangs. */
const STALE_MS = 1_000;

/**
 * Watches the clocks of a GPU: the tool goes on reporting, so that a reading
 * costs nothing when it is asked for. It ends with this process, whose pipe it writes to. The
 * reading is null until the first report, and without the tool.
 */
export function watchNvidiaClocks(read: Read): () => ClockReading | null {
  const tool = spawn('nvidia-smi', [...argsFor(read), '-lms', String(WATCH_EVERY_MS)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let last: { readonly clocks: ClockReading; readonly atMs: number } | null = null;
  // Without the tool there are no reports, which is what `null` says.
  tool.on('error', () => {});
  tool.unref();
  createInterface({ input: tool.stdout }).on('line', (line) => {
    const clocks = parseClocks(line, read.name);
    if (clocks) last = { clocks, atMs: performance.now() };
  });
  process.once('exit', () => tool.kill());
  return () => (last && performance.now() - last.atMs < STALE_MS ? last.clocks : null);
}

/** Exported for its test: CI machines do not have the tool. */
export function parseClocks(output: string, name: string): Clocks | null {
  const rows = output.split('\n').map((line) => line.split(',').map((cell) => cell.trim()));
  const row = rows.find((cells) => cells[5] === name);
  if (!row) return null;
  const [
    smMHz = Number.NaN,
    memoryMHz = Number.NaN,
    temperatureC = Number.NaN,
    powerW = Number.NaN,
  ] = row.slice(0, 4).map(Number);
  const reasons = /^0x[0-9a-f]+$/i.test(row[4] ?? '') ? BigInt(row[4] ?? '0') : 0n;
  if (![smMHz, memoryMHz, temperatureC, powerW].every(Number.isFinite)) return null;
  return {
    smMHz,
    memoryMHz,
    temperatureC,
    powerW,
    limitedBy: LIMITS.filter(([bit]) => (reasons & bit) !== 0n).map(([, reason]) => reason),
  };
}
