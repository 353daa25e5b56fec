'use client';

import {
  type DeviceRef,
  FAMILY_BUDGET,
  type NewTuning,
  PROFILES,
  TUNING_BUDGET,
} from '@tilemark/core';
import {
  DTYPES,
  type Dtype,
  dimensionsText,
  InputError,
  idsOf,
  kernelsOf,
  OPS,
  type OpId,
  type Problem,
  parseShape,
} from '@tilemark/kernels';
import { useWatch } from 'react-hook-form';
import { z } from 'zod';
import { Button } from '@/ui/button';
import { InputField, SelectField } from '@/ui/field';
import { useRequestForm } from '@/ui/form';
import { Failure, NeedsScript } from '@/ui/notice';
import { submitTuning } from '@/ui/request';

/** A budget of the API in whole minutes. */
const minutesOf = ({ least, most, usual }: typeof TUNING_BUDGET) => ({
  least: Math.ceil(least / 60),
  most: most / 60,
  usual: usual / 60,
});
const MINUTES = { problem: minutesOf(TUNING_BUDGET), family: minutesOf(FAMILY_BUDGET) } as const;

/** A family of shapes to choose from. */
export interface FamilyChoice {
  readonly id: string;
  readonly title: string;
  readonly shapes: number;
  readonly dtypes: readonly Dtype[];
}

/** The request for the search of a problem, or of a family where `suite` names one. */
const requestSchema = z
  .object({
    device: z.string(),
    suite: z.string(),
    op: z.enum(idsOf(OPS)),
    shape: z.string(),
    dtype: z.enum(idsOf(DTYPES)),
    profile: z.enum(PROFILES),
    minutes: z.string(),
  })
  .transform(({ device, suite, op, shape, dtype, profile, minutes: text }, context): NewTuning => {
    const refuse = (control: string, message: string) => {
      context.addIssue({ code: 'custom', path: [control], message });
      return z.NEVER;
    };
    const { least, most } = MINUTES[suite ? 'family' : 'problem'];
    const minutes = Number(text);
    if (!(Number.isInteger(minutes) && minutes >= least && minutes <= most)) {
      return refuse('minutes', `Minutes must be a whole number from ${least} to ${most}.`);
    }
    const request = { device, profile, budgetSeconds: 60 * minutes };
    if (suite) return { ...request, suite, dtype };
    try {
      return { ...request, problem: { op, shape: parseShape(op, shape), dtype } as Problem };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return refuse('shape', error.message);
    }
  });

/** The control for a field of the request. */
const controlOf = (field: string) => {
  const control = field.replace(/^problem[.]/, '').replace('budgetSeconds', 'minutes');
  const controls = ['device', 'suite', 'op', 'shape', 'dtype', 'profile', 'minutes'] as const;
  return controls.find((name) => control.startsWith(name)) ?? null;
};

/** Starts a search for the fastest variant of one problem on a device, or of a family of shapes. */
export function TuneForm({
  device,
  families,
}: {
  device: DeviceRef;
  families: readonly FamilyChoice[];
}) {
  const { failure, field, form, isPending, onSubmit } = useRequestForm({
    id: 'tune',
    schema: requestSchema,
    defaultValues: {
      device: device.key,
      suite: '',
      op: 'matmul' as OpId,
      shape: '1024',
      dtype: 'f32' as Dtype,
      profile: PROFILES[0],
      minutes: String(MINUTES.problem.usual),
    },
    controlOf,
    send: async (tuning, open) => {
      const made = await submitTuning(tuning);
      if (made.ok) open(made.value.page);
      return made;
    },
  });
  const [suite, op] = useWatch({ control: form.control, name: ['suite', 'op'] });
  const family = families.find(({ id }) => id === suite) ?? null;
  const minutes = MINUTES[family ? 'family' : 'problem'];
  const sides = OPS[op].dimensions.filter((dimension) => dimension.default === undefined);
  const oblong = sides.map((_, at) => 2048 >> at).join('x');
  const suiteField = field('suite');
  const isBrowser = device.class === 'browser';
  return (
    <form onSubmit={onSubmit} noValidate aria-label="Tune this device">
      <NeedsScript />
      <div className="space-y-4">
        <SelectField
          {...suiteField}
          label="Tune for"
          className="sm:!w-auto"
          onChange={(event) => {
            const { usual } = MINUTES[event.target.value ? 'family' : 'problem'];
            form.setValue('minutes', String(usual));
            void suiteField.onChange(event);
          }}
          options={[
            ['', 'one problem'],
            ...families.map(
              ({ id, shapes, title }) => [id, `${title}: ${id}, ${shapes} shapes`] as const,
            ),
          ]}
        />
        <div
          className={`grid gap-3 sm:grid-cols-2 ${family ? 'lg:grid-cols-3' : 'lg:grid-cols-[1fr_1.4fr_1.4fr_1fr_1fr]'}`}
        >
          {!family && (
            <>
              <SelectField
                {...field('op')}
                label="Operation"
                options={idsOf(OPS).map((id) => [id, OPS[id].title])}
              />
              <InputField
                {...field('shape')}
                label="Shape"
                hint={
                  <>
                    {dimensionsText(op, '×')}: <code>{oblong}</code>, or one number if all are equal
                  </>
                }
                className="font-mono"
                autoComplete="off"
                spellCheck={false}
              />
            </>
          )}
          <SelectField
            {...field('dtype')}
            label="Element type"
            options={(family?.dtypes ?? dtypesOf(op)).map((dtype) => [dtype, DTYPES[dtype].words])}
          />
          <SelectField
            {...field('profile')}
            label="Profile"
            hint={isBrowser ? 'a browser has no other' : undefined}
            options={PROFILES.filter((profile) => !isBrowser || profile === 'default')}
          />
          <InputField
            {...field('minutes')}
            label="Minutes"
            hint={`of the device’s time, ${minutes.least} to ${minutes.most}`}
            inputMode="numeric"
          />
        </div>
        <Failure why={failure} />
        <Button type="submit" look="primary" disabled={isPending}>
          {isPending ? 'Starting…' : 'Start tuning'}
        </Button>
      </div>
    </form>
  );
}

/** Element types in which a GPU kernel computes the op. */
const dtypesOf = (op: OpId): Dtype[] =>
  idsOf(DTYPES).filter((dtype) =>
    kernelsOf(op).some(({ dtypes, runsOn }) => runsOn === 'gpu' && dtypes.includes(dtype)),
  );
