import type { KernelDetail } from '@tilemark/core';
import { Field, Select } from '@/ui/field';
import { QueryForm } from '@/ui/query-form';

/** One control for each declared tunable, and the element type: the shader below follows them. */
export function TunableForm({ kernel }: { kernel: KernelDetail }) {
  return (
    <QueryForm label="Specialise the kernel">
      {kernel.tunables.map((tunable) => (
        <div key={tunable.name} className="min-w-28 flex-1 sm:flex-none">
          <Field id={`tunable-${tunable.name}`} label={tunable.name}>
            <Select
              id={`tunable-${tunable.name}`}
              name={tunable.name}
              title={tunable.about}
              defaultValue={String(kernel.chosen[tunable.name])}
              key={String(kernel.chosen[tunable.name])}
              className="font-mono"
            >
              {tunable.values.map((value) => (
                <option key={value} value={String(value)}>
                  {value}
                </option>
              ))}
            </Select>
          </Field>
        </div>
      ))}
      <div className="min-w-28 flex-1 sm:flex-none">
        <Field id="dtype" label="Element type">
          <Select
            id="dtype"
            name="dtype"
            defaultValue={kernel.dtype}
            key={kernel.dtype}
            className="font-mono"
          >
            {kernel.dtypes.map((dtype) => (
              <option key={dtype}>{dtype}</option>
            ))}
          </Select>
        </Field>
      </div>
    </QueryForm>
  );
}
