'use client';

import { countRuns, type Device, MAX_RUNS_PER_SWEEP } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { type Control, useWatch } from 'react-hook-form';
import { ZodError } from 'zod';
import { formatCount } from '@/ui/format';
import { type SweepForm, specOf, toNewSweep } from './form';

type Counted =
  | { readonly ok: true; readonly count: ReturnType<typeof countRuns> }
  | { readonly ok: false; readonly message: string };

/** What the sweep would be, counted by the same code that expands it on the server. */
function counted(form: SweepForm, devices: readonly Device[]): Counted {
  try {
    const spec = specOf(toNewSweep(form));
    // Without a choice of devices the sweep goes to those that could start at once.
    const able = spec.devices ? devices : devices.filter(({ workers }) => workers > 0);
    if (devices.length > 0 && able.length === 0) {
      return {
        ok: false,
        message: 'No worker is attached now. Choose devices: their runs wait until one comes.',
      };
    }
    return { ok: true, count: countRuns(spec, able) };
  } catch (error) {
    if (error instanceof InputError) return { ok: false, message: error.message };
    if (error instanceof ZodError) {
      return { ok: false, message: error.issues[0]?.message ?? 'Not complete yet.' };
    }
    throw error;
  }
}

/** Runs the form stands for, and how many of them a device would skip, and why. */
export function RunCount({
  control,
  devices,
}: {
  control: Control<SweepForm>;
  devices: readonly Device[];
}) {
  const form = useWatch({ control }) as SweepForm;
  const result = counted(form, devices);

  return (
    <div aria-live="polite" className="min-h-10 text-[0.8125rem]">
      {result.ok ? (
        <>
          <p>
            <span className="text-lg font-semibold tracking-tight">
              {formatCount(result.count.runs)}
            </span>{' '}
            {result.count.runs === 1 ? 'run' : 'runs'}
            {result.count.isTooMany && (
              <span className="font-medium text-rose">
                : more than the {formatCount(MAX_RUNS_PER_SWEEP)} a sweep may have
              </span>
            )}
          </p>
          {result.count.skipped.length > 0 && (
            <ul className="mt-1 space-y-0.5 text-muted">
              {result.count.skipped.map(({ runs, why }) => (
                <li key={why}>
                  <span className="font-medium text-ink">{formatCount(runs)}</span> will be skipped:{' '}
                  {why}
                </li>
              ))}
            </ul>
          )}
        </>
      ) : (
        <p className="text-amber">{result.message}</p>
      )}
    </div>
  );
}
