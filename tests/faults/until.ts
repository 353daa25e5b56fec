import { setTimeout as sleep } from 'node:timers/promises';

const WITHIN_MS = 280_000;

/** Reads again and again until there is something, and gives up with a word on what was awaited. */
export async function until<T>(
  what: string,
  read: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const deadlineMs = performance.now() + WITHIN_MS;
  while (performance.now() < deadlineMs) {
    const value = await read();
    if (value !== null && value !== undefined && value !== false) return value;
    await sleep(100);
  }
  throw new Error(`Waited ${WITHIN_MS / 1000} s in vain for: ${what}.`);
}
