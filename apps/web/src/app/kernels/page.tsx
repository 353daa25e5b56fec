import { idsOf, kernelsOf, OPS } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { ContributedList } from '@/features/contributed/contributed-page';
import { kernelHref } from '@/features/kernels/address';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink, TextLink } from '@/ui/button';
import { Badge } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';
import { DataTable } from '@/ui/table';

export const metadata: Metadata = { title: 'Kernels' };

export default async function KernelsPage() {
  const { store } = await readable();
  const user = await visitor();
  const contributed = await store.contributed.list(user?.tokenId ?? null);
  return (
    <>
      <PageHeader
        title="Kernels"
        actions={
          <ButtonLink href="/kernels/new" look="primary">
            Try a kernel
          </ButtonLink>
        }
      >
        One idea per rung: each kernel adds one idea to an earlier one.
      </PageHeader>
      {idsOf(OPS).map((op, index) => (
        <Section key={op} id={op} title={OPS[op].title} isFolded={index > 0}>
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
              { head: 'Idea', className: 'min-w-52 text-pretty', cell: ({ idea }) => idea },
            ]}
          />
        </Section>
      ))}
      {contributed.length > 0 && (
        <Section id="contributed" title="Contributed" note="kernels that others have brought">
          <ContributedList kernels={contributed} />
        </Section>
      )}
    </>
  );
}
