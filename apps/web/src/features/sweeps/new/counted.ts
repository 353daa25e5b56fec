/** The runs of a sweep form on the devices of this grid, or why it has none. */
import {
  countRuns,
  type Device,
  MAX_RUNS_PER_SWEEP,
  type Pace,
  type RunCount,
  type SweepSpec,
} from '@tilemark/core';
import { formatCount } from '@/ui/format';
import { controlsSchema, refusalOf, type SweepForm, specOf, toNewSweep } from './form';

type Counted =
  | { readonly ok: true; readonly count: RunCount }
  | { readonly ok: false; readonly message: string; readonly control: string | null };

/** Counts with the code that expands a sweep on the server; refused is also what measures nothing. */
export function counted(
  form: SweepForm,
  devices: readonly Device[],
  paces: readonly Pace[] = [],
): Counted {
  let spec: SweepSpec;
  let count: RunCount;
  // Without a choice of devices the sweep goes to those with a worker attached.
  const able = form.devices.length > 0 ? devices : devices.filter(({ workers }) => workers > 0);
  try {
    spec = specOf(toNewSweep(form));
    if (devices.length > 0 && able.length === 0) {
      const message = 'No worker is attached: choose devices, and their runs will wait for one.';
      return { ok: false, message, control: 'devices' };
    }
    count = countRuns(spec, able, paces);
  } catch (error) {
    const { control, message } = refusalOf(error);
    return { ok: false, message, control: shownControl(control, form) };
  }
  const refuse = (field: string, message: string): Counted => ({
    ok: false,
    message,
    control: shownControl(field, form),
  });
  if (count.isTooMany) {
    const [runs, most] = [count.runs, MAX_RUNS_PER_SWEEP].map(formatCount);
    return refuse('cases.0.shapes', `${runs} runs are more than the limit of ${most} per sweep.`);
  }
  if (count.runs === 0)
    return refuse(
      'devices',
      'No chosen device runs these kernels: choose a GPU for GPU kernels, a CPU for host kernels.',
    );
  const [reason] = count.skipped;
  const skipped = count.skipped.reduce((sum, { runs }) => sum + runs, 0);
  if (reason && skipped === count.runs) {
    return refuse('cases.0.kernel', `Every run would be skipped: ${reason.why}.`);
  }
  return { ok: true, count };
}

/** A suite's cases have no controls: its first size decides on shapes, the suite itself on the rest. */
function shownControl(control: string | null, { from, params }: SweepForm): string | null {
  if (from !== 'suite' || !control?.startsWith('cases')) return control;
  const [size] = Object.keys(params);
  return control.endsWith('shapes') && size ? `params.${size}` : 'suite';
}

/** The values of a form that can run on the devices; what is wrong is told at its control. */
export const sweepFormSchema = (devices: readonly Device[]) =>
  controlsSchema.superRefine((form, { addIssue }) => {
    const result = counted(form, devices);
    if (result.ok || !result.control) return;
    addIssue({ code: 'custom', message: result.message, path: result.control.split('.') });
  });
