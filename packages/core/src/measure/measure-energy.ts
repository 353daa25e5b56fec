import { MAX_DISPATCHES } from './calibrate';
import type { Energy, EnergyMeter, EnergyPlan } from './energy';
import type { Sampler } from './series';

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

/** The load whose energy is metered. */
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

/** A stretch from one step of the counter to the first that is at least `leastNs` later. */
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
