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

const PLAIN = '--format=csv,noheader,nounits';

const argsFor = ({ card }: Read): string[] => [
  ...(card ? ['-i', card.uuid] : []),
  `--query-gpu=${QUERY}`,
];

/**
 * The clocks of a GPU, from the NVIDIA driver's own tool; null
 * without that.
 */
export async function readNvidiaClocks(read: Read): Promise<Clocks | null> {
  const output = await promisify(execFile)('nvidia-smi', [...argsFor(read), PLAIN], {
    timeout: 5_000,
  }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return parseClocks(output, read.name);
}

/** Between two reports, ms: about a batch of samples, and as often as NVML's counter moves. */
const REPORT_EVERY_MS = 100;

/**
 * Lets the tool go on reporting, so that a reading costs nothing when it is asked for: a line at a
 * time, none without the tool. It ends with this process, or by what is returned.
 */
export function followNvidiaSmi(
  args: readonly string[],
  onLine: (line: string) => void,
): () => void {
  const tool = spawn('nvidia-smi', [...args, PLAIN, '-lms', String(REPORT_EVERY_MS)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  tool.on('error', () => {});
  tool.unref();
  createInterface({ input: tool.stdout }).on('line', onLine);
  const end = () => void tool.kill();
  process.once('exit', end);
  return () => {
    process.off('exit', end);
    end();
  };
}

/** A reading older than this says nothing about now, ms: the tool has ended or hangs. */
const STALE_MS = 1_000;

/** Watches the clocks of a GPU. The reading is null until the first report, and without the tool. */
export function watchNvidiaClocks(read: Read): () => ClockReading | null {
  let last: { readonly clocks: ClockReading; readonly atMs: number } | null = null;
  followNvidiaSmi(argsFor(read), (line) => {
    const clocks = parseClocks(line, read.name);
    if (clocks) last = { clocks, atMs: performance.now() };
  });
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
