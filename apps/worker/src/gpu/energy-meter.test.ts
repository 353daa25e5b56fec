import { afterEach, expect, it, vi } from 'vitest';
import { openEnergyMeter } from './energy-meter';

afterEach(() => vi.unstubAllEnvs());

it('finds no meter for a card that no driver lists', async () => {
  vi.stubEnv('PATH', '/nowhere');
  expect(await openEnergyMeter({ name: 'no such card' })).toBeNull();
});
