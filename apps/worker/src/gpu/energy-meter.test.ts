import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { openEnergyMeter, summedPower } from './energy-meter';

const folder = mkdtempSync(join(tmpdir(), 'tilemark-test-'));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it('sums up the power that nvidia-smi reports, from the second line on', async () => {
  const tool = join(folder, 'nvidia-smi');
  writeFileSync(tool, '#!/bin/sh\necho "[N/A]"\nwhile echo 250.00; do sleep 0.05; done\n');
  chmodSync(tool, 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
  const meter = summedPower('GPU-of-the-test');
  expect(meter.joules()).toBeNull();
  const at = async () => {
    await vi.waitFor(() => expect(meter.joules()).not.toBeNull(), 60_000);
    return { joules: meter.joules() ?? 0, ms: performance.now() };
  };
  const from = await at();
  await sleep(500);
  const to = await at();
  meter.close();
  const watts = (1e3 * (to.joules - from.joules)) / (to.ms - from.ms);
  // Each end is off by a line at most.
  expect(watts).toBeGreaterThan(150);
  expect(watts).toBeLessThan(350);
});

it('finds no meter for a card that no driver lists', async () => {
  vi.stubEnv('PATH', folder);
  expect(await openEnergyMeter({ name: 'no such card' })).toBeNull();
});
