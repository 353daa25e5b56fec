import { idsOf, kernelsOf, OPS } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { kernelHref } from '@/features/kernels/address';
import { readable } from '@/server/session/visitor';
import { TextLink } from '@/ui/button';
import { Badge } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';
import { DataTable } from '@/ui/table';

export const metadata: Metadata = { title: 'Kernels' };

export default async function KernelsPage() {
  await readable();
  return (
    <>
      <PageHeader title="Kernels">
        One idea per rung: each kernel adds one thing to the kernel above it. For every value of
        every tunable you can read the WGSL that runs.
      </PageHeader>
      {idsOf(OPS).map((op) => (
        <Section key={op} id={op} title={OPS[op].title} note={`rates in ${OPS[op].rateUnit}`}>
          <DataTable
            caption={`Kernels of ${OPS[op].title}`}
            rows={kernelsOf(op)}
            keyOf={({ id }) => id}
            columns={[
              {
                head: 'Kernel',
                className: 'whitespace-nowrap',
                cell: ({ id, runsOn }) => (
                  <>
                    <TextLink href={kernelHref(id)}>
                      <code>{id}</code>
                    </TextLink>{' '}
                    {runsOn === 'cpu' && <Badge>CPU</Badge>}
                  </>
                ),
              },
              { head: 'Idea', className: 'min-w-64 text-pretty', cell: ({ idea }) => idea },
              {
                head: 'Tunables',
                className: 'min-w-40 font-mono text-xs text-muted',
                cell: ({ tunables }) => tunables.map(({ name }) => name).join(' ') || '–',
              },
              {
                head: 'Element types',
                className: 'font-mono text-xs whitespace-nowrap text-muted',
                cell: ({ dtypes }) => dtypes.join(' '),
              },
            ]}
          />
        </Section>
      ))}
    </>
  );
}
