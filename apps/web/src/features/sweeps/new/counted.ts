/** The runs of a sweep form on the devices of this grid, or why it has none. */
import {
  countRuns,
  type Device,
  MAX_RUNS_PER_SWEEP,
  type NewSweep,
  requestedSpec,
  type SweepCount,
} from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { z } from 'zod';
import { formatCount } from '@/ui/format';
import { controlOf, controlsSchema, type SweepForm, toNewSweep } from './form';

type Counted =
  | { readonly ok: true; readonly count: SweepCount; readonly sweep: NewSweep }
  | { readonly ok: false; readonly message: string; readonly control: string | null };

/** Counts with the code that expands a sweep on the server; refused is also what measures nothing. */
export function counted(
  form: SweepForm,
  devices: readonly Device[],
  runSeconds: Readonly<Record<string, number>> = {},
): Counted {
  let sweep: NewSweep;
  let count: SweepCount;
  // Without a choice of devices the sweep goes to those with a worker attached.
  const able = form.devices.length > 0 ? devices : devices.filter(({ workers }) => workers > 0);
  try {
    sweep = toNewSweep(form);
    if (devices.length > 0 && able.length === 0) {
      const message = 'No worker is attached: choose devices, and their runs will wait for one.';
      return { ok: false, message, control: 'devices' };
    }
    count = countRuns(requestedSpec(sweep), able, runSeconds);
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
  return { ok: true, count, sweep };
}

/** Why a form makes no sweep, and the control at fault, if one of them is. Throws what is no refusal. */
function refusalOf(error: unknown): { message: string; control: string | null } {
  if (error instanceof InputError) {
    return { message: error.message, control: controlOf(error.field) };
  }
  if (!(error instanceof z.ZodError)) throw error;
  const [issue] = error.issues;
  return {
    message: issue?.message ?? 'The form is incomplete.',
    control: issue ? controlOf(issue.path.join('.')) : null,
  };
}

/** A suite's cases have no controls: its first size decides on shapes, the suite itself on the rest. */
function shownControl(control: string | null, { from, params }: SweepForm): string | null {
  if (from !== 'suite' || !control?.startsWith('cases')) return control;
  const [size] = Object.keys(params);
  return control.endsWith('shapes') && size ? `params.${size}` : 'suite';
}

/** The request of a form that can run on the devices; what is wrong is told at its control. */
export const sweepRequestSchema = (devices: readonly Device[]) =>
  controlsSchema.transform((form, { addIssue }): NewSweep => {
    const result = counted(form, devices);
    if (result.ok) return result.sweep;
    const path = (result.control ?? 'root').split('.');
    addIssue({ code: 'custom', message: result.message, path });
    return z.NEVER;
  });
