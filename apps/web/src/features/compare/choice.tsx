import type { RunResult } from '@tilemark/core';
import { kernelOf, shapeText, shortAddress } from '@tilemark/kernels';
import { group } from 'd3-array';
import type { ReactNode } from 'react';
import { Address } from '@/features/kernels/address';
import { Button } from '@/ui/button';
import { Moment } from '@/ui/facts';
import { describedBy, Field, Select } from '@/ui/field';
import { formatShape, rateText } from '@/ui/format';
import { Tabs } from '@/ui/page';

/** The two that a page compares, `a` and `b` in its address, each chosen with the given control; works without scripts. */
export function PairForm({
  of,
  control,
  error,
}: {
  of: 'Device' | 'Result' | 'Variant';
  control: (side: 'a' | 'b', id: string) => ReactNode;
  /** Why the second cannot be compared with the first. */
  error?: string | undefined;
}) {
  return (
    <form
      method="get"
      aria-label={`${of}s to compare`}
      className="mb-6 flex flex-wrap items-start gap-3"
    >
      {(['a', 'b'] as const).map((side) => (
        <div key={side} className="min-w-60 flex-1">
          <Field
            id={`compare-${side}`}
            label={`${of} ${side.toUpperCase()}`}
            error={side === 'b' ? error : undefined}
            isAlert
          >
            {control(side, `compare-${side}`)}
          </Field>
        </div>
      ))}
      <Button type="submit" look="primary" className="max-sm:w-full sm:mt-5">
        Compare
      </Button>
    </form>
  );
}

/** One of several results, by device; what the address asks for is kept, known or not. */
export function ResultSelect({
  value = '',
  chosen,
  choices,
  error,
  ...props
}: {
  id: string;
  name: string;
  value: string | undefined;
  error?: string | undefined;
  chosen: RunResult | null;
  choices: readonly RunResult[];
}) {
  const isListed = choices.some(({ resultId }) => resultId === value);
  return (
    <>
      <Select
        key={value}
        {...props}
        {...describedBy(props.id, error)}
        defaultValue={value}
        required
      >
        <option value="" disabled>
          Choose a result
        </option>
        {value && !isListed && (
          <option value={value}>{chosen ? resultText(chosen) : `${value} (not found)`}</option>
        )}
        {[...group(choices, ({ device }) => device.key).values()].map((results) => (
          <optgroup key={results[0]?.device.key} label={results[0]?.device.name}>
            {results.map((each) => (
              <option key={each.runId} value={each.resultId ?? ''}>
                {resultText(each)}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      {chosen && (
        <Chosen address={chosen.address}>
          {' '}
          on {chosen.device.name}
          {chosen.endedAt && (
            <>
              , <Moment date={chosen.endedAt} />
            </>
          )}
        </Chosen>
      )}
    </>
  );
}

/** What a select shows clipped, in full. */
const Chosen = ({ address, children }: { address: string; children?: ReactNode }) => (
  <p className="mt-1 text-xs wrap-anywhere text-muted">
    <Address of={address} />
    {children}
  </p>
);

const resultText = ({ address, imported, outcome, problem, profile, rate }: RunResult): string =>
  [
    `${problem.op} ${formatShape(shapeText(problem))} ${problem.dtype}, ${profile}: ${shortAddress(address)}`,
    ...(rate ? [rateText(rate)] : []),
    ...(imported ? ['imported'] : []),
    ...(outcome?.kind === 'measured' && outcome.measurement.unranked !== null
      ? ['not ranked']
      : []),
  ].join(', ');

/** One of the variants that were measured, by kernel; what the address asks for is kept, measured or not. */
export function VariantSelect({
  value = '',
  choices,
  ...props
}: {
  id: string;
  name: string;
  value: string | undefined;
  choices: readonly string[];
}) {
  return (
    <>
      <Select key={value} {...props} defaultValue={value} required>
        <option value="" disabled>
          Choose a variant
        </option>
        {value && !choices.includes(value) && <option>{value}</option>}
        {[...group(choices, kernelOf)].map(([kernel, addresses]) => (
          <optgroup key={kernel} label={kernel}>
            {addresses.map((address) => (
              <option key={address} value={address}>
                {address}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      {value && <Chosen address={value} />}
    </>
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
