import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Clocks } from '@tilemark/core';
import type { Card } from './cards';

/** Bits of `clocks_event_reasons.active` that slow a GPU down, in NVML's words. */
const LIMITS: readonly (readonly [bit: bigint, name: string])[] = [
  [0x4n, 'power cap'],
  [0x8n, 'hardware slowdown'],
  [0x20n, 'software thermal slowdown'],
  [0x40n, 'hardware thermal slowdown'],
  [0x80n, 'hardware power brake'],
];

const QUERY =
  'clocks.sm,clocks.mem,temperature.gpu,power.draw,clocks_event_reasons.active,name,enforced.power.limit';

/** The GPU that is read: the card, or the first of the name. */
interface Read {
  readonly name: string;
  readonly card?: Card;
}

/** Between two reports, ms: about a batch of samples. */
const REPORT_EVERY_MS = 100;

/** A reading older than this says nothing about now, ms: the tool has ended or hangs. */
const STALE_MS = 1_000;

/**
 * Watches the clocks of a GPU: the NVIDIA driver's own tool goes on reporting them until this process
 * ends, so that a reading costs nothing when it is asked for. It is null until the first report, and
 * without the tool.
 */
export function watchNvidiaClocks({ card, name }: Read): () => Clocks | null {
  const which = card ? ['-i', card.uuid] : [];
  const how = ['--format=csv,noheader,nounits', '-lms', String(REPORT_EVERY_MS)];
  const tool = spawn('nvidia-smi', [...which, `--query-gpu=${QUERY}`, ...how], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  tool.on('error', () => {});
  tool.unref();
  process.once('exit', () => tool.kill());
  let last: { readonly clocks: Clocks; readonly atMs: number } | null = null;
  createInterface({ input: tool.stdout }).on('line', (line) => {
    const clocks = parseClocks(line, name);
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
  const powerCapW = Number(row[6] || Number.NaN);
  if (![smMHz, memoryMHz, temperatureC, powerW].every(Number.isFinite)) return null;
  return {
    smMHz,
    memoryMHz,
    temperatureC,
    powerW,
    ...(Number.isFinite(powerCapW) && { powerCapW }),
    limitedBy: LIMITS.filter(([bit]) => (reasons & bit) !== 0n).map(([, reason]) => reason),
  };
}
