'use client';

import { type Device, PROFILE_WORDS, PROFILES } from '@tilemark/core';
import { EPILOGUES, KERNELS } from '@tilemark/kernels';
import { useMemo } from 'react';
import { useFieldArray, useWatch } from 'react-hook-form';
import { Button } from '@/ui/button';
import { InputField, SelectField } from '@/ui/field';
import { useRequestForm } from '@/ui/form';
import { LogIn } from '@/ui/navigation';
import { Failure, NeedsScript } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { submitSweep } from '@/ui/request';
import { ClassBadge } from '../../devices/device-name';
import { sweepRequestSchema } from './counted';
import { CaseFields, ChipGroup, SuiteFields } from './fields';
import { controlOf, emptyCase, type SweepForm, suggestedName } from './form';
import { RunCount } from './run-count';

/** Composes a sweep from the registry, counts its runs, and submits it. */
export function NewSweepForm({
  initial,
  devices,
  runSeconds,
  maySubmit,
}: {
  initial: SweepForm;
  devices: readonly Device[];
  /** How long their past runs took. */
  runSeconds: Readonly<Record<string, number>>;
  /** Whoever may not can still count runs. */
  maySubmit: boolean;
}) {
  const schema = useMemo(() => sweepRequestSchema(devices), [devices]);
  const { failure, field, form, isHydrated, isPending, onSubmit } = useRequestForm({
    id: 'sweep',
    schema,
    defaultValues: initial,
    controlOf,
    send: async (sweep, open) => {
      const made = await submitSweep(sweep);
      if (made.ok) open(`/sweeps/${made.value.id}`);
      return made;
    },
  });
  const { control, register } = form;
  const cases = useFieldArray({ control, name: 'cases' });
  const from = useWatch({ control, name: 'from' });
  const placeholder = suggestedName(useWatch({ control }) as SweepForm);
  const firstKernel = KERNELS[0];

  return (
    <form onSubmit={onSubmit} noValidate aria-label="New sweep">
      <NeedsScript />
      {/* Hydration would discard what is typed before it. */}
      <fieldset
        role="presentation"
        disabled={!isHydrated}
        className="grid min-w-0 grid-cols-[minmax(0,1fr)] items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_19rem]"
      >
        <div>
          <Section id="what" title="What to run">
            <Panel className="space-y-5 p-4">
              <fieldset>
                <legend className="sr-only">Where the runs come from</legend>
                <div className="flex flex-wrap gap-5 text-[0.8125rem]">
                  {(
                    [
                      ['suite', 'From a suite'],
                      ['hand', 'Custom'],
                    ] as const
                  ).map(([value, text]) => (
                    <label key={value} className="inline-flex items-center gap-2">
                      <input
                        type="radio"
                        value={value}
                        className="size-3.5 accent-accent"
                        {...register('from')}
                      />
                      {text}
                    </label>
                  ))}
                </div>
              </fieldset>
              {from === 'suite' ? (
                <SuiteFields form={form} field={field} />
              ) : (
                <div className="space-y-4">
                  {cases.fields.map(({ id }, index) => (
                    <CaseFields
                      key={id}
                      form={form}
                      field={field}
                      index={index}
                      onRemove={cases.fields.length > 1 ? () => cases.remove(index) : null}
                    />
                  ))}
                  {firstKernel && (
                    <Button onClick={() => cases.append(emptyCase(firstKernel))}>Add a case</Button>
                  )}
                </div>
              )}
            </Panel>
          </Section>
          <Section id="how" title="How and where">
            <Panel className="grid gap-5 p-4 sm:grid-cols-2">
              <div className="sm:col-span-2">
                <ChipGroup
                  control={control}
                  name="devices"
                  legend="Devices"
                  hint={
                    devices.length === 0
                      ? 'No device is known yet: a worker brings its own when it attaches.'
                      : devices.every(({ workers }) => workers === 0)
                        ? 'None has a worker: the runs of those you choose will wait for one.'
                        : 'None chosen: every device that has a worker when you submit.'
                  }
                  options={devices.map(({ class: of, key, name, workers }) => ({
                    value: key,
                    text: (
                      <>
                        {name} <ClassBadge of={of} />
                        {workers === 0 && (
                          <span className="whitespace-nowrap text-muted">no worker</span>
                        )}
                      </>
                    ),
                  }))}
                />
              </div>
              <details
                className="text-[0.8125rem] sm:col-span-2"
                open={
                  initial.profiles.length > 0 || initial.policy !== '' || initial.epilogue !== ''
                }
              >
                <summary className="text-muted">Advanced: profile, policy, and epilogue</summary>
                <div className="mt-3 grid gap-5 sm:grid-cols-2">
                  <ChipGroup
                    control={control}
                    name="profiles"
                    legend="Profiles"
                    hint={`How WebGPU is set up. None chosen: ${from === 'suite' ? 'as the suite says' : 'default'}.`}
                    options={PROFILES.map((profile) => ({
                      value: profile,
                      text: PROFILE_WORDS[profile],
                    }))}
                  />
                  <SelectField
                    {...field('policy')}
                    label="Policy"
                    hint="How precisely to measure. Energy adds GFLOP/J, in 20 s more per run; smoke takes five samples and is never ranked."
                    options={[
                      ...(from === 'suite'
                        ? ([['', 'as the suite says'], 'default'] as const)
                        : ([['', 'default']] as const)),
                      'energy',
                      'smoke',
                      ...(initial.policy === 'screen' ? ['screen'] : []),
                    ]}
                  />
                  <SelectField
                    {...field('epilogue')}
                    label="Epilogue"
                    hint="What is made of each sum before it is stored. Only products alone are ranked."
                    options={[
                      ['', 'none'],
                      ...Object.entries(EPILOGUES).map(([id, { words }]) => [id, words] as const),
                    ]}
                  />
                </div>
              </details>
            </Panel>
          </Section>
        </div>
        <div className="max-lg:mt-8 lg:sticky lg:top-6">
          <Section id="submit" title="Submit">
            <Panel className="space-y-4 p-4">
              <RunCount control={control} devices={devices} runSeconds={runSeconds} />
              <InputField
                {...field('name')}
                label="Name"
                autoComplete="off"
                placeholder={placeholder}
              />
              <Failure why={failure} />
              {!maySubmit && (
                <p className="text-[0.8125rem] text-muted">
                  <LogIn to="submit" />
                </p>
              )}
              <Button type="submit" look="primary" disabled={isPending}>
                {isPending ? 'Submitting…' : 'Submit sweep'}
              </Button>
            </Panel>
          </Section>
        </div>
      </fieldset>
    </form>
  );
}
