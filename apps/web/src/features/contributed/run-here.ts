import type { Step } from '@tilemark/core';
import {
  admitKernel,
  batteryFinding,
  type Checked,
  type Measure,
  runBattery,
  type Scale,
  scalesOf,
  takenShape,
} from '@tilemark/core/contributed';
import { defaultsOf, type Problem } from '@tilemark/kernels';
import { type Browser, onGpuHere } from '@/features/join/here';
import type { LendingState } from '@/features/join/lending';
import { draftOf, type KernelForm, shapesIn } from './submit';

/** The kernel that is being written, on the GPU of this tab: `check` without a machine. */

export interface RunHere {
  readonly device: string;
  /** Cases of the battery that have ended. */
  readonly checked: readonly Checked[];
  readonly run: LendingState['run'];
  /** The kernel, then naive, on each shape; empty while the kernel is not known to be right. */
  readonly timed: readonly (readonly [own: Checked, naive: Checked])[];
  /** Of every dtype, found last. */
  readonly scales: readonly Scale[];
}

/** Checks a kernel and, if it is right, measures it beside naive. Throws InputError; the signal's reason. */
export async function runHere(
  wanted: KernelForm,
  browser: Browser,
  onChange: (state: RunHere) => void,
  signal: AbortSignal,
): Promise<void> {
  const contributed = await admitKernel({ ...draftOf(wanted), author: 'you' });
  const { dtypes, epilogue, id, op, tunables } = contributed.kernel;
  const shapes = shapesIn(op, wanted.shapes);
  const dtype = dtypes.find((each) => each === wanted.dtype) ?? dtypes[0] ?? 'f32';
  await onGpuHere(browser, signal, async (runner, { identity }) => {
    let state: RunHere = {
      device: `${identity.device} in ${identity.runtime}`,
      ...{ checked: [], run: null, timed: [], scales: [] },
    };
    const show = (change: Partial<RunHere>) => {
      state = { ...state, ...change };
      onChange(state);
    };
    const measure: Measure = async (variant, asked, policy) => {
      const problem = { ...asked, ...(epilogue && { epilogue }) };
      const onStep = (step: Step) => show({ run: { variant, problem, step } });
      const run = { variant, problem, policy, profile: 'default' } as const;
      const { outcome } = await runner.run(run, { onStep, signal });
      show({ run: null });
      return { variant, problem, outcome };
    };
    const battery: Measure = async (...asked) => {
      const ended = await measure(...asked);
      show({ checked: [...state.checked, ended] });
      return ended;
    };
    // As it says which shapes were halved.
    const checked = await runBattery(contributed, {}, battery);
    show({ checked });
    if (batteryFinding(checked) !== 'right') return;
    const values = defaultsOf(tunables);
    const variant = { kernel: id, tunables: values };
    for (const given of shapes) {
      const problem = {
        op,
        shape: takenShape(contributed, values, dtype, given),
        dtype,
      } as Problem;
      const own = await measure(variant, problem, 'screen');
      const naive = await measure({ kernel: `${op}/naive`, tunables: {} }, problem, 'screen');
      show({ timed: [...state.timed, [own, naive]] });
    }
    for (const each of dtypes)
      show({ scales: [...state.scales, ...(await scalesOf(contributed, variant, each, measure))] });
  });
}
