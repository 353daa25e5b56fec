import { median } from 'd3-array';
import { z } from 'zod';
import { MAX_DISPATCHES } from './calibrate';
import type { Sampler } from './series';

/**
 * Energy of a run: what the card's own counter moves by while the same dispatches go on and on.
 * The counter moves in steps, ten times a second on an NVIDIA H200 (2026-11-22), so that a stretch
 * begins and ends with one.
 */

/** Energy that a device has taken, since some moment in the past. */
export interface EnergyMeter {
  readonly source: EnergySource;
  /** Null while there is no reading. */
  readonly joules: () => number | null;
  readonly close: () => void;
}

/** How often and how long it is read. */
export interface EnergyPlan {
  readonly stretches: number;
  readonly stretchNs: number;
}

/** `nvml`: the card's energy counter; `nvidia-smi`: its instant power, summed up over time. */
const energySourceSchema = z.enum(['nvml', 'nvidia-smi']);
export type EnergySource = z.infer<typeof energySourceSchema>;

export const energySchema = z.object({
  source: energySourceSchema,
  /** Power without work, just before, W. */
  idleW: z.number().nonnegative(),
  stretches: z
    .array(
      z.object({
        dispatches: z.number().int().positive(),
        ns: z.number().positive(),
        joules: z.number().positive(),
      }),
    )
    .min(1)
    .max(16),
});
export type Energy = z.infer<typeof energySchema>;

/** Before idle power is read, the device gets this long to come to rest, ns. */
const REST_NS = 1e9;

/** Idle power is read for at least this long, ns. */
const IDLE_NS = 1e9;

/** The clocks come up before a stretch begins, ns. */
const WARM_UP_NS = 0.5e9;

/** Dispatches between two looks at the counter last about this long, ns. */
const LOOK_EVERY_NS = 20e6;

/** A counter that has not moved for this long is not one, ns. */
const STUCK_NS = 3e9;

const sleep = (ns: number) => new Promise((resolve) => setTimeout(resolve, ns / 1e6));

/** What is needed besides the meter. */
type Load = Pick<Sampler, 'prepared' | 'nowNs'> & {
  /** Of a dispatch, ns. */
  readonly eachNs: number;
};

/** Null if the meter has no reading, or stops. */
export async function measureEnergy(
  { eachNs, nowNs, prepared }: Load,
  meter: EnergyMeter,
  { stretches: count, stretchNs }: EnergyPlan,
): Promise<Energy | null> {
  const dispatches = Math.min(Math.ceil(LOOK_EVERY_NS / eachNs), MAX_DISPATCHES);
  const work = async () => {
    await prepared.sample({ dispatches, rotate: true });
    return dispatches;
  };
  const rest = async () => {
    await sleep(LOOK_EVERY_NS / 4);
    return 0;
  };
  const watch = { meter, nowNs };
  await sleep(REST_NS);
  const idle = await stretchOf(watch, rest, IDLE_NS);
  if (!idle) return null;
  const stretches: Energy['stretches'] = [];
  while (stretches.length < count) {
    for (const untilNs = nowNs() + WARM_UP_NS; nowNs() < untilNs; ) await work();
    const stretch = await stretchOf(watch, work, stretchNs);
    if (!stretch) return null;
    stretches.push(stretch);
  }
  return { source: meter.source, idleW: (1e9 * idle.joules) / idle.ns, stretches };
}

type Watch = Pick<Load, 'nowNs'> & { readonly meter: EnergyMeter };
type Mark = { readonly joules: number; readonly ns: number; readonly dispatches: number };

/** From one step of the counter to the first that is at least `leastNs` later. */
async function stretchOf(
  watch: Watch,
  work: () => Promise<number>,
  leastNs: number,
): Promise<Energy['stretches'][number] | null> {
  const from = await nextStep(watch, work);
  if (!from) return null;
  let dispatches = 0;
  while (watch.nowNs() < from.ns + leastNs) dispatches += await work();
  const to = await nextStep(watch, work);
  return (
    to && {
      dispatches: dispatches + to.dispatches,
      ns: to.ns - from.ns,
      joules: to.joules - from.joules,
    }
  );
}

/** Goes on with `work` until the counter moves. */
async function nextStep(
  { meter, nowNs }: Watch,
  work: () => Promise<number>,
): Promise<Mark | null> {
  const untilNs = nowNs() + STUCK_NS;
  let dispatches = 0;
  for (let at = meter.joules(); nowNs() < untilNs; ) {
    dispatches += await work();
    const joules = meter.joules();
    if (joules !== null && at !== null && joules > at) return { joules, ns: nowNs(), dispatches };
    at ??= joules;
  }
  return null;
}

/** Mean power of each stretch, W. */
export const powersOf = ({ stretches }: Energy): number[] =>
  stretches.map(({ joules, ns }) => (1e9 * joules) / ns);

/** Of the middle stretch, W. */
export const meanPowerW = (energy: Energy): number => median(powersOf(energy)) ?? 0;

/** Energy of each dispatch by stretch, J. */
const perDispatch = ({ stretches }: Energy): number[] =>
  stretches.map(({ dispatches, joules }) => joules / dispatches);

/** Of the middle stretch, J. */
export const joulesPerDispatch = (energy: Energy): number => median(perDispatch(energy)) ?? 0;

/** From the least to the most energy of a dispatch, as part of the middle one. */
export function energySpread(energy: Energy): number {
  const each = perDispatch(energy);
  return (Math.max(...each) - Math.min(...each)) / joulesPerDispatch(energy);
}
