import type { SweepSpec } from '@tilemark/core';
import { opOfShape, shapeText } from '@tilemark/kernels';
import { kernelHref } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { TablePanel } from '@/ui/table';

/** What was asked for. Kernels that run on no device of the sweep are named apart. */
export function SpecSummary({
  spec,
  planned,
}: {
  spec: SweepSpec;
  /** Kernels with runs; null: not known of all. */
  planned: ReadonlySet<string> | null;
}) {
  const cases = spec.cases.filter(({ kernel }) => planned?.has(kernel) ?? true);
  const others = spec.cases.filter(({ kernel }) => !(planned?.has(kernel) ?? true));
  return (
    <>
      <TablePanel caption="Specification of the sweep" stacks>
        <thead>
          <tr>
            <th scope="col">Kernel</th>
            <th scope="col">Tunables</th>
            <th scope="col">Shapes</th>
            <th scope="col">Element types</th>
          </tr>
        </thead>
        <tbody>
          {cases.map((each, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a specification never changes its order
            <tr key={index}>
              <th scope="row" className="whitespace-nowrap">
                <TextLink href={kernelHref(each.kernel)}>
                  <code>{each.kernel}</code>
                </TextLink>
              </th>
              <td data-head="Tunables" className="min-w-56 font-mono text-xs leading-5">
                {Object.entries(each.tunables).map(([name, values]) => (
                  <span key={name} className="mr-4 inline-block">
                    <span className="text-muted">{name}=</span>
                    {values.join('|')}
                  </span>
                ))}
              </td>
              <td data-head="Shapes" className="min-w-32 font-mono text-xs leading-5">
                {each.shapes.map((shape) => textOf(shape)).join(', ')}
              </td>
              <td data-head="Element types" className="font-mono text-xs">
                {each.dtypes.join(' ')}
              </td>
            </tr>
          ))}
        </tbody>
      </TablePanel>
      {others.length > 0 && (
        <p className="mt-2 text-xs text-muted">
          Without runs, because they run on no device of this sweep:{' '}
          {others.map(({ kernel }) => kernel).join(', ')}.
        </p>
      )}
      <p className="mt-2 text-xs text-muted">
        Profiles: {spec.profiles.join(', ')}. Policy: {spec.policy}. Devices:{' '}
        {spec.devices?.join(', ') ?? 'every device with a worker attached'}.
      </p>
    </>
  );
}

type Shape = SweepSpec['cases'][number]['shapes'][number];

/** The shape says its op: a stored sweep may name a kernel that has left the registry. */
const textOf = (shape: Shape): string => {
  const op = opOfShape(shape);
  return op ? shapeText({ op, shape }) : Object.values(shape).join('x');
};
