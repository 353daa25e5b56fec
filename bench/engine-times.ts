import { bufferSetsFor, type DeviceCapabilities, requestWholeDevice } from '@tilemark/core';
import {
  createGpuExecutor,
  type Engine,
  type Executor,
  type Prepared,
  type Problem,
  parseVariant,
} from '@tilemark/kernels';
import { median } from 'd3-array';

/** The times of variants under the WebGPU of a runtime; it runs in Node, Deno and a page alike. */

export interface Question {
  readonly problem: Problem;
  /** Addresses. */
  readonly variants: readonly string[];
  /** Absent: they are measured. */
  readonly isCompiledOnly?: true;
  /** After which no further variant is begun, ms. */
  readonly withinMs: number;
}

/** The median time of a dispatch, ns; or why there is none. */
export type Answered = { readonly ns: number } | { readonly fault: string };

export interface EngineSide {
  readonly device: string;
  readonly capabilities: DeviceCapabilities;
  ask(question: Question): Promise<Readonly<Record<string, Answered>>>;
}

/** How long passes are, ns, and how many are taken, behind how much work that is not timed. */
const PASS_NS = 1.5e6;
const PASSES = 16;
const TIMED_NS = 200e6;
const WARM_UP_NS = 100e6;
const STEADY = 1.03;
const MOST_TURNS = 3;
const MOST_DISPATCHES = 1_024;
const MOST_UNTIMED = 100;

/** Buffer sets rotate through twice as much, and are as few, since each takes a runtime's time. */
const CACHE_BYTES = 2 ** 26;
const MOST_SETS = 24;

/** Opens the adapter that a runtime prefers. Throws Error if it has none, or no timestamps. */
export async function openSide(
  gpu: GPU,
  engine: Engine,
  { isBrowser = false } = {},
): Promise<EngineSide> {
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('this runtime has no adapter');
  const { device, capabilities } = await requestWholeDevice(adapter, gpu);
  const executor = await createGpuExecutor(device, {
    engine,
    isQuantised: isBrowser,
    isAskedRarely: isBrowser,
  });
  if (executor.timer.kind !== 'timestamp') {
    throw new Error('this runtime has no timestamps, and waits say little of a dispatch');
  }
  const { architecture, description, vendor } = adapter.info;
  return {
    device: description || `${vendor} ${architecture}`.trim() || 'unnamed',
    capabilities,
    async ask({ isCompiledOnly, problem, variants, withinMs }) {
      const untilMs = performance.now() + withinMs;
      const answers: Record<string, Answered> = {};
      for (const address of variants) {
        if (performance.now() > untilMs) break;
        answers[address] = await (isCompiledOnly
          ? executor.compile(parseVariant(address), problem).then(() => ({ ns: 0 }))
          : timeOf(executor, address, problem)
        ).catch((error) => ({ fault: String(error instanceof Error ? error.message : error) }));
      }
      return answers;
    },
  };
}

/** Of a variant whose output is right before it is timed and after. */
async function timeOf(executor: Executor, address: string, problem: Problem): Promise<Answered> {
  const prepared = await executor.prepare(parseVariant(address), problem, {
    seed: 1,
    bufferSets: Math.min(bufferSetsFor(problem, CACHE_BYTES), MOST_SETS),
  });
  try {
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    const before = await faultOf(prepared);
    if (before !== null) return { fault: before };
    const ns = await dispatchNs(prepared);
    const after = await faultOf(prepared);
    return after === null ? { ns } : { fault: after };
  } finally {
    prepared.destroy();
  }
}

/** What is wrong with the output that was written last, as far as is seen quickly; null: nothing. */
async function faultOf(prepared: Prepared): Promise<string | null> {
  const { beyond, checked, worst } = await prepared.verify([prepared.lastSet], 0);
  return worst ? `wrong: ${beyond} of ${checked} elements` : null;
}

/**
 * The median of passes that the device runs one after the other, behind as much work as its clocks take to rise:
 * between waits, which take 10 ms under Deno, they fall. Taken again while the passes become quicker.
 */
async function dispatchNs(prepared: Prepared): Promise<number> {
  const passesOf = async (dispatches: number, passes: number, untimed: number) => {
    const times = await prepared.samples?.({ dispatches, rotate: true }, passes, untimed);
    if (!times) throw new Error('nothing times passes here');
    return times.map((ns) => Math.max(ns, 1) / dispatches);
  };
  const typical = (times: readonly number[]) => median(times) ?? Number.NaN;
  // The first dispatch of each buffer is slow.
  let ns = typical(await passesOf(Math.min(prepared.bufferSets, 3), 2, 0));
  for (let turn = 0; ; turn++) {
    const dispatches = Math.min(Math.max(Math.ceil(PASS_NS / ns), 1), MOST_DISPATCHES);
    const within = (mostNs: number, most: number) =>
      Math.min(Math.max(Math.ceil(mostNs / (ns * dispatches)), 3), most);
    const untimed = within(WARM_UP_NS, MOST_UNTIMED);
    const times = await passesOf(dispatches, within(TIMED_NS, PASSES), untimed);
    const half = times.length >> 1;
    ns = typical(times.slice(half));
    const isSteady = turn > 0 && typical(times.slice(0, half)) < STEADY * ns;
    if (isSteady || turn === MOST_TURNS) return ns;
  }
}
