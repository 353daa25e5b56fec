'use client';

import { findSuite, SUITES } from '@tilemark/core';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { describedBy, Field, Input, Select } from '@/ui/field';
import type { SweepForm } from './form';

/** A suite and its parameters. */
export function SuiteFields({ form }: { form: UseFormReturn<SweepForm> }) {
  const { control, formState, register, setValue } = form;
  const suite = findSuite(useWatch({ control, name: 'suite' }));

  const choose = (id: string) => {
    const chosen = findSuite(id);
    setValue('suite', id);
    setValue(
      'params',
      Object.fromEntries(chosen.params.map((param) => [param.name, String(param.default)])),
    );
  };

  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        id="suite"
        label="Suite"
        hint={`${suite.about}.`}
        error={formState.errors.suite?.message}
      >
        <Select
          {...register('suite', { onChange: (event) => choose(event.target.value) })}
          {...describedBy('suite', formState.errors.suite?.message, true)}
        >
          {SUITES.map(({ id, title, version }) => (
            <option key={id} value={id}>
              {title} ({id}@{version})
            </option>
          ))}
        </Select>
      </Field>
      {suite.params.map((param) => {
        const id = `params-${param.name}`;
        const error = formState.errors.params?.[param.name]?.message;
        return (
          <Field
            key={param.name}
            id={id}
            label={`${param.name}, ${param.about.charAt(0).toLowerCase()}${param.about.slice(1)}`}
            hint={`${param.min} to ${param.max}`}
            error={error}
          >
            <Input
              inputMode="numeric"
              {...register(`params.${param.name}`)}
              {...describedBy(id, error, true)}
            />
          </Field>
        );
      })}
    </div>
  );
}
