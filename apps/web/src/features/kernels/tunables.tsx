import type { KernelDetail } from '@tilemark/core';
import { SelectField } from '@/ui/field';
import { QueryForm } from '@/ui/query-form';
import { DataTable } from '@/ui/table';

/** Keeps the letter after a hyphen, as of `row-x`, on the line of its word. */
const unbroken = (text: string): string => text.replaceAll(/-(?=\w\b)/g, '-\u2060');

/** The declared tunables: what each changes and its values, the default underlined. */
export function TunablesTable({ kernel }: { kernel: KernelDetail }) {
  return (
    <DataTable
      caption={`Tunables of ${kernel.id}`}
      rows={kernel.tunables}
      keyOf={({ name }) => name}
      columns={[
        { head: 'Tunable', cell: ({ name }) => <code>{name}</code> },
        { head: 'Effect', className: 'min-w-56 text-pretty', cell: ({ about }) => unbroken(about) },
        {
          head: 'Values (default underlined)',
          className: 'font-mono text-xs',
          cell: ({ values, default: usual }) => (
            <span className="flex flex-wrap gap-x-3">
              {values.map((value) => (
                <span
                  key={value}
                  className={
                    value === usual
                      ? 'underline decoration-accent decoration-2 underline-offset-3'
                      : 'text-muted'
                  }
                >
                  {value}
                </span>
              ))}
            </span>
          ),
        },
      ]}
    />
  );
}

/** A control for each tunable and for the element type; the shader below follows them. */
export function TunableForm({ kernel }: { kernel: KernelDetail }) {
  const controls = [
    ...kernel.tunables.map(({ name, about, values }) => ({
      id: `tunable-${name}`,
      name,
      label: name,
      about,
      values,
      chosen: String(kernel.chosen[name]),
    })),
    {
      id: 'dtype',
      name: 'dtype',
      label: 'Element type',
      about: undefined,
      values: kernel.dtypes,
      chosen: kernel.dtype,
    },
  ];
  return (
    <QueryForm label="Specialise the kernel">
      {controls.map(({ about, chosen, id, label, name, values }) => (
        <div key={id} className="min-w-28 flex-1 sm:flex-none">
          <SelectField
            {...{ id, name, label, title: about, defaultValue: chosen }}
            key={chosen}
            className="font-mono"
            options={values.map(String)}
          />
        </div>
      ))}
    </QueryForm>
  );
}
