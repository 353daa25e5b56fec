import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Clocks } from '@tilemark/core';

/** Bits of `clocks_event_reasons.active` that slow a GPU down, in NVML's words. */
const LIMITS: readonly (readonly [bit: bigint, name: string])[] = [
  [0x4n, 'power cap'],
  [0x8n, 'hardware slowdown'],
  [0x20n, 'software thermal slowdown'],
  [0x40n, 'hardware thermal slowdown'],
  [0x80n, 'hardware power brake'],
];

const QUERY = 'clocks.sm,clocks.mem,temperature.gpu,power.draw,clocks_event_reasons.active,name';

/**
 * What the NVIDIA driver says of the clocks of the first GPU of this name; null
 * where it has no tool for saying it.
 */
export async function readNvidiaClocks(name: string): Promise<Clocks | null> {
  const args = [`--query-gpu=${QUERY}`, '--format=csv,noheader,nounits'];
  const output = await promisify(execFile)('nvidia-smi', args, { timeout: 5_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return parseClocks(output, name);
}

/** Exported for its test: machines of the CI have no such tool. */
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
