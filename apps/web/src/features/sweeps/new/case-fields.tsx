'use client';

import { kernelById, kernelsOf, OPS, opById } from '@tilemark/kernels';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { Button } from '@/ui/button';
import { describedBy, Field, Input, Select } from '@/ui/field';
import { ChipGroup } from './chip-group';
import { emptyCase, type SweepForm } from './form';

/** One kernel with the tunable values, shapes and element types to try, from its declaration. */
export function CaseFields({
  form,
  index,
  onRemove,
}: {
  form: UseFormReturn<SweepForm>;
  index: number;
  onRemove: (() => void) | null;
}) {
  const { control, formState, getValues, register, setValue } = form;
  const kernel = kernelById(useWatch({ control, name: `cases.${index}.kernel` }));
  const errors = formState.errors.cases?.[index];
  const shapesId = `case-${index}-shapes`;
  const { dimensions: names } = opById(kernel.op);
  const dimensions = names.join('×');
  const oblong = names.map((_, index) => 512 >> index).join('x');

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
        <Field
          id={`case-${index}-kernel`}
          label="Kernel"
          hint={kernel.idea}
          error={errors?.kernel?.message}
        >
          <Select
            className="max-w-md font-mono"
            {...register(`cases.${index}.kernel`, {
              onChange: (event) => choose(event.target.value),
            })}
            {...describedBy(`case-${index}-kernel`, errors?.kernel?.message, true)}
          >
            {OPS.map((op) => (
              <optgroup key={op.id} label={op.title}>
                {kernelsOf(op.id).map(({ id }) => (
                  <option key={id}>{id}</option>
                ))}
              </optgroup>
            ))}
          </Select>
        </Field>
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
          <Field
            id={shapesId}
            label="Shapes"
            hint={
              <>
                {dimensions}, or one number for a square: <code>512, {oblong}</code>. Ranges:{' '}
                <code>256..4096 x2</code> doubles, <code>256..1024 +256</code> adds.
              </>
            }
            error={errors?.shapes?.message}
          >
            <Input
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
              {...register(`cases.${index}.shapes`)}
              {...describedBy(shapesId, errors?.shapes?.message, true)}
            />
          </Field>
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
