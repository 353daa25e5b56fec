import type { ReactNode } from 'react';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';

/** The two that a page compares, `a` and `b` in its address, each chosen with the given control. */
export function PairForm({
  of,
  control,
}: {
  of: 'Device' | 'Variant';
  control: (side: 'a' | 'b', id: string) => ReactNode;
}) {
  return (
    <form
      method="get"
      aria-label={`${of}s to compare`}
      className="mb-6 flex flex-wrap items-end gap-3"
    >
      {(['a', 'b'] as const).map((side) => (
        <div key={side} className="min-w-60 flex-1">
          <Field id={`compare-${side}`} label={`${of} ${side.toUpperCase()}`}>
            {control(side, `compare-${side}`)}
          </Field>
        </div>
      ))}
      <Button type="submit" look="primary">
        Compare
      </Button>
    </form>
  );
}
