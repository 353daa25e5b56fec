'use client';

import {
  type DeviceClass,
  FAMILY_BUDGET,
  type NewTuning,
  PROFILES,
  type Profile,
  TUNING_BUDGET,
} from '@tilemark/core';
import {
  DTYPES,
  type Dtype,
  dimensionsText,
  InputError,
  idsOf,
  isInputError,
  kernelsOf,
  OPS,
  type OpId,
  type Problem,
  parseShape,
} from '@tilemark/kernels';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState, useTransition } from 'react';
import { Button } from '@/ui/button';
import { InputField, SelectField } from '@/ui/field';
import { Failure, Notice } from '@/ui/notice';
import { submitTuning } from '@/ui/request';
import { useHydrated } from '@/ui/use-hydrated';

interface Refusal {
  readonly message: string;
  /** The id of the control at fault; null: none of them is. */
  readonly control: string | null;
}

/** The controls, by how the paths of fields in the request begin. */
const CONTROLS = [
  ['suite', 'tune-suite'],
  ['dtype', 'tune-dtype'],
  ['problem.shape', 'tune-shape'],
  ['problem.dtype', 'tune-dtype'],
  ['problem.op', 'tune-op'],
  ['profile', 'tune-profile'],
  ['budgetSeconds', 'tune-budget'],
] as const;

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

/** Starts a search for the fastest variant of one problem on a device, or of each of a family. */
export function TuneForm({
  device,
  deviceClass,
  families,
}: {
  device: string;
  deviceClass: DeviceClass;
  families: readonly FamilyChoice[];
}) {
  const router = useRouter();
  const [suite, setSuite] = useState<string | null>(null);
  const family = families.find(({ id }) => id === suite) ?? null;
  const minutes = MINUTES[family ? 'family' : 'problem'];
  const [op, setOp] = useState<OpId>('matmul');
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isPending, startTransition] = useTransition();
  const isHydrated = useHydrated();
  const control = (id: string) => ({
    id,
    error: refusal?.control === id ? refusal.message : undefined,
  });

  const refuse = (message: string, field: string | null) => {
    const [, control = null] = CONTROLS.find(([path]) => field?.startsWith(path)) ?? [];
    setRefusal({ message, control });
    if (control !== null) document.getElementById(control)?.focus();
  };

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    startTransition(async () => {
      try {
        const made = await submitTuning(tuningOf(device, family ?? op, data));
        if (made.ok) router.push(made.value.page);
        else refuse(made.message, made.field);
      } catch (error) {
        if (!isInputError(error)) throw error;
        refuse(error.message, error.field);
      }
    });
  };

  const sides = OPS[op].dimensions.filter((dimension) => dimension.default === undefined);
  const oblong = sides.map((_, at) => 2048 >> at).join('x');
  return (
    <form onSubmit={submit} noValidate aria-label="Tune this device">
      <noscript>
        <div className="mb-4">
          <Notice tone="amber">This form needs JavaScript.</Notice>
        </div>
      </noscript>
      <fieldset role="presentation" disabled={!isHydrated} className="min-w-0 space-y-4">
        <SelectField
          {...control('tune-suite')}
          label="Tune for"
          name="suite"
          className="sm:!w-auto"
          value={suite ?? ''}
          onChange={({ target }) => setSuite(target.value || null)}
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
                {...control('tune-op')}
                label="Operation"
                name="op"
                value={op}
                onChange={({ target }) => setOp(target.value as OpId)}
                options={idsOf(OPS).map((id) => [id, OPS[id].title])}
              />
              <InputField
                {...control('tune-shape')}
                label="Shape"
                hint={
                  <>
                    {dimensionsText(op, '×')}: <code>{oblong}</code>, or one number if all are equal
                  </>
                }
                name="shape"
                className="font-mono"
                defaultValue="1024"
                autoComplete="off"
                spellCheck={false}
              />
            </>
          )}
          <SelectField
            {...control('tune-dtype')}
            label="Element type"
            name="dtype"
            options={(family?.dtypes ?? dtypesOf(op)).map((dtype) => [dtype, DTYPES[dtype].words])}
          />
          <SelectField
            {...control('tune-profile')}
            label="Profile"
            hint={deviceClass === 'browser' ? 'a browser has no other' : undefined}
            name="profile"
            options={PROFILES.filter(
              (profile) => deviceClass !== 'browser' || profile === 'default',
            )}
          />
          <InputField
            {...control('tune-budget')}
            key={family ? 'family' : 'problem'}
            label="Minutes"
            hint={`of the device’s time, ${minutes.least} to ${minutes.most}`}
            name="minutes"
            inputMode="numeric"
            defaultValue={minutes.usual}
          />
        </div>
        <Failure why={refusal?.control === null && refusal.message} />
        <Button type="submit" look="primary" disabled={isPending}>
          {isPending ? 'Starting…' : 'Start tuning'}
        </Button>
      </fieldset>
    </form>
  );
}

/** Element types in which a GPU kernel computes the op. */
const dtypesOf = (op: OpId): Dtype[] =>
  idsOf(DTYPES).filter((dtype) =>
    kernelsOf(op).some(({ dtypes, runsOn }) => runsOn === 'gpu' && dtypes.includes(dtype)),
  );

/** The request. Throws InputError at the field at fault. */
function tuningOf(device: string, what: OpId | FamilyChoice, data: FormData): NewTuning {
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const dtype = text('dtype') as Dtype;
  const asked =
    typeof what === 'string'
      ? {
          problem: {
            op: what,
            shape: parseShape(what, text('shape'), 'problem.shape'),
            dtype,
          } as Problem,
        }
      : { suite: what.id, dtype };
  const { least, most } = MINUTES[typeof what === 'string' ? 'problem' : 'family'];
  const minutes = Number(text('minutes'));
  if (!(Number.isInteger(minutes) && minutes >= least && minutes <= most)) {
    throw new InputError(
      `Minutes must be a whole number from ${least} to ${most}.`,
      'budgetSeconds',
    );
  }
  return { device, ...asked, profile: text('profile') as Profile, budgetSeconds: 60 * minutes };
}
