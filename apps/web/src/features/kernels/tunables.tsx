import type { KernelDetail } from '@tilemark/core';
import { SelectField } from '@/ui/field';
import { QueryForm } from '@/ui/query-form';

/** Keeps the letter after a hyphen, as of `row-x`, on the line of its word. */
const unbroken = (text: string): string => text.replaceAll(/-(?=\w\b)/g, '-\u2060');

/** A control for each tunable, with what it changes, and for the element type; the shader below follows them. */
export function TunableForm({ kernel }: { kernel: KernelDetail }) {
  const { chosen, dtype, dtypes, tunables } = kernel;
  return (
    <QueryForm label="Specialise the kernel">
      <div className="grid w-full gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {tunables.map(({ about, default: usual, name, values }) => (
          <SelectField
            key={`${name} ${chosen[name]}`}
            id={`tunable-${name}`}
            name={name}
            label={name}
            hint={unbroken(about)}
            defaultValue={String(chosen[name])}
            className="font-mono"
            options={values.map((value) => [
              String(value),
              value === usual ? `${value} (default)` : String(value),
            ])}
          />
        ))}
        <SelectField
          key={dtype}
          id="dtype"
          name="dtype"
          label="Element type"
          defaultValue={dtype}
          className="font-mono"
          options={dtypes}
        />
      </div>
    </QueryForm>
  );
}
