import { type Environment, type Result, resultOf, type Step } from '@tilemark/core';
import {
  admitKernel,
  batteryFinding,
  batteryOf,
  type Checked,
  type Measure,
  runBattery,
  type Scale,
  scalesOf,
  takenShape,
} from '@tilemark/core/contributed';
import { defaultsOf, type Problem, variantAddress } from '@tilemark/kernels';
import { type Browser, onGpuHere } from '@/features/join/here';
import type { LendingState } from '@/features/join/lending';
import { draftOf, type KernelForm, shapesIn } from './submit';

/** The kernel that is being written, on the GPU of this tab: `check` without a machine. */

export interface RunHere {
  readonly device: string;
  /** Cases of the battery that have ended. */
  readonly checked: readonly Checked[];
  /** How many the battery has; what is too slow is checked again, halved, and counts again. */
  readonly cases: number;
  readonly run: LendingState['run'];
  /** The kernel, then naive, on each shape; empty while the kernel is not known to be right. */
  readonly timed: readonly (readonly [own: Checked, naive: Checked])[];
  /** Of every dtype, found last. */
  readonly scales: readonly Scale[];
}

/** All that was measured, as a class takes it. */
interface Found {
  readonly environment: Environment | null;
  readonly results: readonly Result[];
}

/**
 * Checks a kernel and, if it is right, measures it beside naive. Throws InputError; the signal's reason.
 *
 * @param asked what a class asks for, on which the kernel is measured right or not; absent: what the form says
 */
export async function runHere(
  wanted: KernelForm,
  browser: Browser,
  onChange: (state: RunHere) => void,
  signal: AbortSignal,
  asked?: Problem,
): Promise<Found> {
  const contributed = await admitKernel({ ...draftOf(wanted), author: 'you' });
  const { dtypes, epilogue, id, op, tunables } = contributed.kernel;
  const values = defaultsOf(tunables);
  const dtype = dtypes.find((each) => each === wanted.dtype) ?? dtypes[0] ?? 'f32';
  const problems = asked
    ? [asked]
    : shapesIn(op, wanted.shapes).map((given) => {
        const shape = takenShape(contributed, values, dtype, given);
        return { op, shape, dtype } as Problem;
      });
  return onGpuHere(browser, signal, async (runner, { identity }) => {
    let state: RunHere = {
      device: `${identity.device} in ${identity.runtime}`,
      ...{ checked: [], cases: batteryOf(contributed).length, run: null, timed: [], scales: [] },
    };
    let environment: Environment | null = null;
    const results: Result[] = [];
    const show = (change: Partial<RunHere>) => {
      state = { ...state, ...change };
      onChange(state);
    };
    const measure: Measure = async (variant, given, policy) => {
      const problem = { ...given, ...(epilogue && { epilogue }) };
      const onStep = (step: Step) => show({ run: { variant, problem, step } });
      const run = { variant, problem, policy, profile: 'default' } as const;
      const { environment: seen, outcome } = await runner.run(run, { onStep, signal });
      environment = seen;
      results.push(resultOf({ ...run, address: variantAddress(variant) }, identity, outcome));
      show({ run: null });
      return { variant, problem, outcome };
    };
    const battery: Measure = async (...given) => {
      const ended = await measure(...given);
      show({ checked: [...state.checked, ended] });
      return ended;
    };
    // As it says which shapes were halved.
    const checked = await runBattery(contributed, {}, battery);
    show({ checked });
    const variant = { kernel: id, tunables: values };
    const isRight = batteryFinding(checked) === 'right';
    for (const problem of isRight || asked ? problems : []) {
      const own = await measure(variant, problem, 'screen');
      if (!isRight) continue;
      const naive = await measure({ kernel: `${op}/naive`, tunables: {} }, problem, 'screen');
      show({ timed: [...state.timed, [own, naive]] });
    }
    for (const each of isRight && !asked ? dtypes : [])
      show({ scales: [...state.scales, ...(await scalesOf(contributed, variant, each, measure))] });
    return { environment, results };
  });
}
