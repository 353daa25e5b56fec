import type { ReactNode } from 'react';
import { Button } from '@/ui/button';
import { Field, Input } from '@/ui/field';
import { Tabs } from '@/ui/page';

/** The two that a page compares, `a` and `b` in its address, each chosen with the given control; works without scripts. */
export function PairForm({
  of,
  control,
}: {
  of: 'Device' | 'Result' | 'Variant';
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

/** For an address, typed or pasted. */
export function AddressInput({
  value,
  ...props
}: {
  id: string;
  name: string;
  value: string | undefined;
  placeholder: string;
}) {
  return (
    <Input
      {...props}
      defaultValue={value}
      key={value}
      required
      autoComplete="off"
      spellCheck={false}
      className="font-mono"
    />
  );
}

const TABS = [
  ['/compare', 'Results'],
  ['/compare/variants', 'Variants'],
  ['/compare/devices', 'Devices'],
] as const;

/** What is compared with what. */
export const CompareTabs = ({ here }: { here: (typeof TABS)[number][0] }) => (
  <Tabs label="What to compare" tabs={TABS} here={here} />
);
