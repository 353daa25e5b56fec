'use client';

import type { ReactNode } from 'react';
import { type Control, type FieldPathByValue, useController } from 'react-hook-form';
import { Chip, FieldError } from '@/ui/field';
import type { SweepForm } from './form';

/** Several values that may be chosen together, as chips under one legend. */
export function ChipGroup({
  control,
  name,
  legend,
  hint,
  options,
}: {
  control: Control<SweepForm>;
  name: FieldPathByValue<SweepForm, string[]>;
  legend: string;
  hint?: ReactNode;
  options: readonly { readonly value: string; readonly text: ReactNode }[];
}) {
  const { field, fieldState } = useController({ control, name });
  const chosen: readonly string[] = field.value ?? [];
  const id = name.replaceAll('.', '-');
  const error = fieldState.error?.message ?? fieldState.error?.root?.message;

  return (
    <fieldset
      className="min-w-0"
      aria-describedby={error ? `${id}-error` : undefined}
      aria-invalid={error ? true : undefined}
    >
      <legend className="mb-1 text-xs font-medium">{legend}</legend>
      <div className="flex flex-wrap gap-1.5">
        {options.map(({ value, text }, index) => (
          <Chip
            key={value}
            // The first one takes the focus when the group is at fault.
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
