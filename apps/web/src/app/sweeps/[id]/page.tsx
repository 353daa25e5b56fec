import { publishedOfSuite } from '@tilemark/core';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { loadDevices, loadHeadlines, publishedTimes } from '@/features/sweeps/load';
import { againOf } from '@/features/sweeps/new/from-sweep';
import { packHeadlines } from '@/features/sweeps/packed-headlines';
import { rowsOf } from '@/features/sweeps/row';
import { SpecSummary } from '@/features/sweeps/spec-summary';
import { SweepView } from '@/features/sweeps/sweep-view';
import { NoWorker } from '@/features/workers/no-worker';
import { waitingIn } from '@/features/workers/waiting';
import { isOwner } from '@/server/access';
import { readable, visitor } from '@/server/visitor';
import { TextLink } from '@/ui/button';
import { Moment } from '@/ui/moment';
import { PageHeader, Section } from '@/ui/page';

type Props = { params: Promise<{ id: string }> };

const load = cache(async (id: string) => {
  const { store } = await readable();
  return (await store.sweeps.get(id)) ?? notFound();
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await load((await params).id)).name };
}

export default async function SweepPage({ params }: Props) {
  const { store } = await readable();
  const sweep = await load((await params).id);
  const [headlines, user, queues] = await Promise.all([
    loadHeadlines(store, sweep),
    visitor(),
    store.workers.queues(),
  ]);
  const rows = rowsOf(headlines);
  const devices = await loadDevices(store, rows);
  const maySubmit = user?.role === 'admin' || user?.role === 'member';
  const mayChange = user !== null && isOwner(user, sweep);

  return (
    <>
      <PageHeader above={<TextLink href="/sweeps">Sweeps</TextLink>} title={sweep.name}>
        {sweep.suite ? `Suite ${sweep.suite}` : 'Built by hand'},{' '}
        {sweep.isImported ? 'measured elsewhere and imported' : 'submitted'} by {sweep.createdBy},{' '}
        <Moment date={sweep.createdAt} />
      </PageHeader>
      <NoWorker queues={waitingIn(rows, queues)} />
      <SweepView
        id={sweep.id}
        counts={sweep.counts}
        status={sweep.status}
        packed={packHeadlines(headlines)}
        devices={devices}
        published={publishedTimes(rows)}
        report={sweep.suite ? publishedOfSuite(sweep.suite) : null}
        mayChange={mayChange}
        again={maySubmit ? againOf(sweep) : null}
      />
      <Section id="specification" title="Specification">
        <SpecSummary spec={sweep.spec} />
      </Section>
    </>
  );
}
