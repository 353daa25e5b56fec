import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type EnergyMeter, energySchema, joulesPerDispatch } from './energy';
import { measureEnergy } from './measure-energy';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const EACH_NS = 1e6;
const PLAN = { stretches: 3, stretchNs: 5e9 };
const nowNs = () => performance.now() * 1e6;

/** A card that takes 70 W and, at work, 300 W; its counter moves every 100 ms. */
function card({ isStuckAfterMs = Number.POSITIVE_INFINITY } = {}) {
  let working = 0;
  let joules = 0;
  let shown = 0;
  const timer = setInterval(() => {
    joules += (working > 0 ? 300 : 70) / 100;
  }, 10);
  const steps = setInterval(() => {
    if (performance.now() < isStuckAfterMs) shown = joules;
  }, 100);
  let dispatched = 0;
  const prepared = {
    newTurns: 1,
    sample: async ({ dispatches }: { dispatches: number }) => {
      const ns = dispatches * EACH_NS;
      working++;
      await new Promise((resolve) => setTimeout(resolve, ns / 1e6));
      working--;
      dispatched += dispatches;
      return { ns, wallNs: ns };
    },
  };
  const meter: EnergyMeter = {
    source: 'nvml',
    joules: () => shown,
    close: () => [timer, steps].forEach(clearInterval),
  };
  return { meter, load: { prepared, nowNs, eachNs: EACH_NS }, dispatched: () => dispatched };
}

async function measured(...of: Parameters<typeof measureEnergy>) {
  const measuring = measureEnergy(...of);
  await vi.advanceTimersByTimeAsync(60_000);
  return measuring;
}

it('takes the energy of whole stretches, and idle power beside it', async () => {
  const { dispatched, load, meter } = card();
  const energy = await measured(load, meter, PLAN);
  expect(energySchema.parse(energy)).toEqual(energy);
  if (!energy) throw new TypeError('not measured');
  expect(energy.idleW).toBeCloseTo(70, 0);
  expect(energy.stretches).toHaveLength(3);
  // The counter moves up to 20 ms before it is looked at: 0.4% of 5 s.
  for (const { joules, ns } of energy.stretches) {
    expect(Math.abs((1e9 * joules) / ns / 300 - 1)).toBeLessThan(0.005);
  }
  for (const { ns } of energy.stretches) expect(ns).toBeGreaterThanOrEqual(PLAN.stretchNs);
  expect(joulesPerDispatch(energy)).toBeCloseTo(0.3, 2);
  expect(dispatched()).toBeLessThan(20_000);
  meter.close();
});

it('has none from a counter that does not move, or stops', async () => {
  for (const isStuckAfterMs of [0, 8_000]) {
    vi.setSystemTime(0);
    const { load, meter } = card({ isStuckAfterMs: performance.now() + isStuckAfterMs });
    expect(await measured(load, meter, PLAN)).toBeNull();
    meter.close();
  }
  const silent: EnergyMeter = { source: 'nvidia-smi', joules: () => null, close: () => {} };
  expect(await measured(card().load, silent, PLAN)).toBeNull();
});
