import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Evidence, evidenceSchema } from './evidence';
import { shippedEvidence } from './shipped-evidence';

const asMeasured = async ({ op, dtype }: Evidence): Promise<Evidence> => {
  const file = new URL(`evidence/nvidia-h200-${op}-${dtype}.json`, import.meta.url);
  return evidenceSchema.parse(JSON.parse(await readFile(file, 'utf8')));
};

it('holds all times of a device and profile against one roof, the best that was probed', async () => {
  const h200 = shippedEvidence().filter(({ device }) => device.device === 'NVIDIA H200');
  const [first] = h200;
  for (const { profile, roofline } of h200) {
    expect(profile).toBe(first?.profile);
    expect(roofline).toEqual(first?.roofline);
  }
  const measured = await Promise.all(h200.map(asMeasured));
  const memory = ({ roofline }: Evidence) => roofline?.copies.at(-1)?.gigabytesPerSecond ?? 0;
  const rates = measured.map(memory);
  expect(new Set(rates).size).toBeGreaterThan(1);
  expect(h200.map(memory)).toEqual(rates.map(() => Math.max(...rates)));
});
