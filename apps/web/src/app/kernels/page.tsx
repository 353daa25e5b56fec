import { PROFILES } from '@tilemark/core';
import { idsOf, kernelsOf, OPS, opOf, shapeText } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { ContributedList } from '@/features/contributed/contributed-page';
import { shortDeviceName } from '@/features/devices/short-device-name';
import { kernelHref } from '@/features/kernels/address';
import { type Best, ladderOf } from '@/features/kernels/ladder';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink, TextLink } from '@/ui/button';
import { Rate } from '@/ui/facts';
import { formatShape } from '@/ui/format';
import { Badge } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';
import { DataTable } from '@/ui/table';

export const metadata: Metadata = { title: 'Kernels' };

export default async function KernelsPage() {
  const { store } = await readable();
  const user = await visitor();
  const ops = idsOf(OPS);
  const [contributed, ...ladders] = await Promise.all([
    store.contributed.list(user?.tokenId ?? null),
    ...ops.map((op) => ladderOf(store, op)),
  ]);
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
        One idea per rung: each kernel adds one idea to an earlier one. For every value of every
        tunable you can read the WGSL that runs.
      </PageHeader>
      {ladders.map(({ op, fastest }, index) => (
        <Section
          key={op}
          id={op}
          isFolded={index > 0}
          title={OPS[op].title}
          note={
            fastest.size > 0
              ? 'Best rate on any device and problem; higher is better.'
              : 'not measured yet'
          }
        >
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
              {
                head: 'Highest rate',
                isFigure: true,
                className: 'min-w-60',
                cell: ({ id }) => <BestRate best={fastest.get(id)} />,
              },
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

function BestRate({ best }: { best: Best | undefined }) {
  if (!best) return null; // a phone leaves empty cells out
  return (
    <>
      <Rate of={{ value: best.rate, unit: opOf(best.problem).rateUnit(best.problem) }} />
      <span className="block text-xs whitespace-normal text-muted" title={best.where}>
        <span className="block">
          <span className="whitespace-nowrap">{formatShape(shapeText(best.problem))}</span>{' '}
          {best.problem.dtype}
        </span>
        {shortDeviceName(best.where)}
        {best.profile !== PROFILES[0] && `, ${best.profile}`}
        {!best.isRanked && ', not ranked'}
      </span>
    </>
  );
}
