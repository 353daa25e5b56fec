import { kernelsOf, OPS } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { kernelHref } from '@/features/kernels/href';
import { readable } from '@/server/visitor';
import { Badge } from '@/ui/badge';
import { TextLink } from '@/ui/button';
import { PageHeader, Section } from '@/ui/page';
import { TablePanel } from '@/ui/table';

export const metadata: Metadata = { title: 'Kernels' };

export default async function KernelsPage() {
  await readable();
  return (
    <>
      <PageHeader title="Kernels">
        One idea a rung: each kernel adds one thing to the kernel above it. Every value of every
        tunable can be read as the WGSL that runs.
      </PageHeader>
      {OPS.map((op) => (
        <Section key={op.id} id={op.id} title={op.title} note={`rates in ${op.rateUnit}`}>
          <TablePanel caption={`Kernels of ${op.title}`}>
            <thead>
              <tr>
                <th scope="col">Kernel</th>
                <th scope="col">Idea</th>
                <th scope="col">Tunables</th>
                <th scope="col">Element types</th>
              </tr>
            </thead>
            <tbody>
              {kernelsOf(op.id).map((kernel) => (
                <tr key={kernel.id}>
                  <th scope="row" className="whitespace-nowrap">
                    <TextLink href={kernelHref(kernel.id)}>
                      <code>{kernel.id}</code>
                    </TextLink>{' '}
                    {kernel.runsOn === 'cpu' && <Badge>CPU</Badge>}
                  </th>
                  <td className="min-w-64 text-pretty">{kernel.idea}</td>
                  <td className="min-w-40 font-mono text-xs text-muted">
                    {kernel.tunables.map((tunable) => tunable.name).join(' ') || '–'}
                  </td>
                  <td className="font-mono text-xs whitespace-nowrap text-muted">
                    {kernel.dtypes.join(' ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </TablePanel>
        </Section>
      ))}
    </>
  );
}
