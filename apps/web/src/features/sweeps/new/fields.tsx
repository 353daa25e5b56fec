'use client';

import { findSuite, publishedOfSuite, SUITES } from '@tilemark/core';
import { dimensionsText, idsOf, kernelById, kernelsOf, OPS, opById } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { type FieldPathByValue, useController, useWatch } from 'react-hook-form';
import { Button } from '@/ui/button';
import { Chip, FieldError, InputField, SelectField } from '@/ui/field';
import type { RequestForm } from '@/ui/form';
import type { sweepRequestSchema } from './counted';
import { emptyCase, paramsOf, type SweepControl, type SweepForm } from './form';

type Fields = Pick<RequestForm<ReturnType<typeof sweepRequestSchema>>, 'field' | 'form'>;

/** One kernel with the tunable values, shapes and element types to try. */
export function CaseFields({
  form: { control, getValues, setValue },
  field,
  index,
  onRemove,
}: Fields & {
  index: number;
  onRemove: (() => void) | null;
}) {
  const kernel = kernelById(useWatch({ control, name: `cases.${index}.kernel` }));
  const kernelField = field(`cases.${index}.kernel`);
  const dimensions = dimensionsText(kernel.op, '×');
  const { sides, square } = opById(kernel.op);
  const oblong = sides(square(512))
    .map((size, index) => size >> index)
    .join('x');

  const choose = (id: string) => {
    const next = kernelById(id);
    const before = getValues(`cases.${index}`);
    const blank = emptyCase(next);
    setValue(`cases.${index}`, {
      ...blank,
      shapes: before.shapes,
      dtypes: before.dtypes.filter((dtype) => next.dtypes.includes(dtype)),
    });
  };

  return (
    <fieldset className="min-w-0 rounded-tile border border-line p-4">
      <legend className="px-1 text-xs font-medium text-muted">Case {index + 1}</legend>
      <div className="grid gap-4">
        <SelectField
          {...kernelField}
          label="Kernel"
          hint={kernel.idea}
          className="max-w-md font-mono"
          onChange={(event) => {
            choose(event.target.value);
            void kernelField.onChange(event);
          }}
        >
          {idsOf(OPS).map((op) => (
            <optgroup key={op} label={OPS[op].title}>
              {kernelsOf(op).map(({ id }) => (
                <option key={id}>{id}</option>
              ))}
            </optgroup>
          ))}
        </SelectField>
        <div className="grid gap-4 sm:grid-cols-2">
          {kernel.tunables.map((tunable) => (
            <ChipGroup
              key={`${kernel.id} ${tunable.name}`}
              control={control}
              name={`cases.${index}.tunables.${tunable.name}`}
              legend={tunable.name}
              hint={tunable.about}
              options={tunable.values.map((value) => ({
                value: String(value),
                text: <span className="font-mono">{value}</span>,
              }))}
            />
          ))}
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <InputField
            {...field(`cases.${index}.shapes`)}
            label="Shapes"
            hint={
              <>
                {dimensions}, or one number if all are equal: <code>512, {oblong}</code>. Ranges:{' '}
                <code>256..4096</code> doubles, <code>256..4096 x4</code> quadruples,{' '}
                <code>256..1024 +256</code> adds.
              </>
            }
            className="font-mono"
            autoComplete="off"
            spellCheck={false}
          />
          <ChipGroup
            key={`${kernel.id} dtypes`}
            control={control}
            name={`cases.${index}.dtypes`}
            legend="Element types"
            options={kernel.dtypes.map((dtype) => ({ value: dtype, text: dtype }))}
          />
        </div>
        {onRemove && (
          <div>
            <Button look="quiet" onClick={onRemove} className="-ml-3">
              Remove case {index + 1}
            </Button>
          </div>
        )}
      </div>
    </fieldset>
  );
}

/** Values to choose any number of, as chips under one legend. */
export function ChipGroup({
  control,
  name,
  legend,
  hint,
  options,
}: {
  control: SweepControl;
  name: FieldPathByValue<SweepForm, string[]>;
  legend: string;
  hint?: ReactNode;
  options: readonly { readonly value: string; readonly text: ReactNode }[];
}) {
  const { field, fieldState } = useController({ control, name });
  const chosen: readonly string[] = field.value ?? [];
  const id = `sweep-${name}`.replaceAll('.', '-');
  const error = fieldState.error?.message ?? fieldState.error?.root?.message;

  return (
    <fieldset
      id={id}
      className="min-w-0"
      aria-describedby={error ? `${id}-error` : undefined}
      aria-invalid={error ? true : undefined}
    >
      <legend className="mb-1 text-xs font-medium">{legend}</legend>
      <div className="flex flex-wrap gap-1.5">
        {options.map(({ value, text }, index) => (
          <Chip
            key={value}
            // The first chip takes focus if the group is invalid.
            ref={index === 0 ? field.ref : undefined}
            name={name}
            value={value}
            checked={chosen.includes(value)}
            onBlur={field.onBlur}
            onChange={(event) =>
              field.onChange(
                event.target.checked
                  ? options
                      .map((option) => option.value)
                      .filter((each) => each === value || chosen.includes(each))
                  : chosen.filter((each) => each !== value),
              )
            }
          >
            {text}
          </Chip>
        ))}
      </div>
      {hint && <p className="mt-1 text-xs text-muted">{hint}</p>}
      <FieldError id={id} error={error} />
    </fieldset>
  );
}

const KINDS = [
  ['Suites', false],
  ['Reproduce a report', true],
] as const;

export function SuiteFields({ form: { control, setValue }, field }: Fields) {
  const suite = findSuite(useWatch({ control, name: 'suite' }));
  const report = publishedOfSuite(suite.id);
  const suiteField = field('suite');

  const choose = (id: string) => {
    setValue('suite', id);
    setValue('params', paramsOf(findSuite(id)));
  };

  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        {...suiteField}
        label="Suite"
        hint={`${suite.about}.${report ? ` As in ${report.source.title}.` : ''}`}
        onChange={(event) => {
          choose(event.target.value);
          void suiteField.onChange(event);
        }}
      >
        {KINDS.map(([label, isReport]) => (
          <optgroup key={label} label={label}>
            {SUITES.filter(({ id }) => (publishedOfSuite(id) !== null) === isReport).map(
              ({ id, title, version }) => (
                <option key={id} value={id}>
                  {title} ({id}@{version})
                </option>
              ),
            )}
          </optgroup>
        ))}
      </SelectField>
      {suite.params.map(({ about, max, min, name }) => (
        <InputField
          key={name}
          {...field(`params.${name}`)}
          label={`${name}, ${about.charAt(0).toLowerCase()}${about.slice(1)}`}
          hint={`${min} to ${max}`}
          inputMode="numeric"
        />
      ))}
    </div>
  );
}
