import type { SweepSpec } from '@tilemark/core';
import {
  EPILOGUES,
  opOfShape,
  REGIMES,
  shapeText,
  shortAddress,
  variantAddress,
} from '@tilemark/kernels';
import { kernelHref } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { formatShape } from '@/ui/format';
import { type Column, DataTable } from '@/ui/table';

/** What was asked for. */
export function SpecSummary({
  spec,
  names,
}: {
  spec: SweepSpec;
  /** Of the devices that have runs, by key. */
  names: ReadonlyMap<string, string>;
}) {
  const { cases } = spec;
  const devices = spec.devices?.map((key) => names.get(key) ?? key) ?? [...names.values()];
  return (
    <>
      <DataTable
        caption="Specification of the sweep"
        rows={cases}
        // A specification never changes its order.
        keyOf={(_, index) => index}
        columns={[
          {
            head: 'Kernel',
            className: 'whitespace-nowrap',
            cell: ({ kernel }) => (
              <TextLink href={kernelHref(kernel)}>
                <code>{kernel}</code>
              </TextLink>
            ),
          },
          {
            head: 'Tunables',
            className: 'min-w-56 font-mono text-xs leading-5',
            cell: ({ tunables }) =>
              Object.entries(tunables).map(([name, values]) => (
                <span key={name} className="mr-4 inline-block">
                  <span className="text-muted">{name}=</span>
                  {values.join('|')}
                </span>
              )),
          },
          {
            head: 'Shapes',
            className: 'min-w-32 font-mono text-xs leading-5',
            cell: ({ shapes }) => shapes.map(textOf).join(', '),
          },
          {
            head: 'Element types',
            className: 'font-mono text-xs',
            cell: ({ dtypes }) => dtypes.join(' '),
          },
          ...(cases.some(({ rival }) => rival) ? [RIVAL] : []),
        ]}
      />
      <p className="mt-2 text-xs text-muted">
        Profiles: {spec.profiles.join(', ')}. Policy: {spec.policy}.
        {spec.regime && ` Inputs: ${REGIMES[spec.regime]}.`}
        {spec.epilogue && ` Epilogue: ${EPILOGUES[spec.epilogue].words}.`} Devices:{' '}
        {devices.join(', ') || 'those with a worker attached when it was submitted'}.
      </p>
    </>
  );
}

type Case = SweepSpec['cases'][number];

/** Shown where a case has one. */
const RIVAL: Column<Case> = {
  head: 'In turns with',
  className: 'whitespace-nowrap',
  cell: ({ rival }) =>
    rival ? (
      <TextLink href={kernelHref(rival.kernel, rival.tunables)}>
        <code>{shortAddress(variantAddress(rival))}</code>
      </TextLink>
    ) : (
      '–'
    ),
};

type Shape = Case['shapes'][number];

/** The shape says its op: a stored sweep may name a kernel that has left the registry. */
const textOf = (shape: Shape): string => {
  const op = opOfShape(shape);
  return formatShape(op ? shapeText({ op, shape }) : Object.values(shape).join('x'));
};
