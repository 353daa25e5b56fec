import { publishedOfSuite, type SweepSpec } from '@tilemark/core';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { SweepView } from '@/features/sweeps/sweep-view';
import { isOwner } from '@/server/session/access';
import { readable, visitor } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { Moment } from '@/ui/facts';
import { plural } from '@/ui/format';
import { PageHeader, Section } from '@/ui/page';

/** Runs that the page shows; the rest of larger sweeps is in the export. */
const MAX_RUNS = 5_000;

type Props = { params: Promise<{ id: string }> };

const load = cache(async (id: string) => {
  const { store } = await readable();
  return (await store.sweeps.get(id)) ?? notFound();
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { counts, isImported, name } = await load((await params).id);
  const origin = isImported ? 'measured elsewhere and imported' : 'on the devices of this grid';
  return {
    title: name,
    description: `${plural(counts.total, 'run')} of matrix-multiply or transpose kernels ${origin}.`,
  };
}

export default async function SweepPage({ params }: Props) {
  const { store } = await readable();
  const sweep = await load((await params).id);
  const [searched = null] = (sweep.tuning && sweep.spec.devices) || [];
  const [runs, waiting, user] = await Promise.all([
    store.sweeps.runs(sweep.id, MAX_RUNS),
    sweep.counts.pending > 0 ? store.sweeps.waiting(sweep.id) : [],
    visitor(),
  ]);
  const keys = new Set(runs.map(({ device }) => device.key));
  const devices = await Promise.all([...keys].map(store.devices.get));
  const mayChange = user !== null && isOwner(user, sweep);

  return (
    <>
      <PageHeader title={sweep.name}>
        {sweep.tuning ? 'Tuning' : sweep.suite ? `Suite ${sweep.suite}` : 'Custom'},{' '}
        {sweep.isImported ? (
          <>
            measured elsewhere{' '}
            {sweep.measuredAt && (
              <>
                (<Moment date={sweep.measuredAt} />){' '}
              </>
            )}
            and imported
          </>
        ) : (
          'submitted'
        )}{' '}
        by {sweep.createdBy}, <Moment date={sweep.createdAt} />
      </PageHeader>
      <SweepView
        id={sweep.id}
        counts={sweep.counts}
        status={sweep.status}
        runs={runs}
        tuning={sweep.tuning ?? null}
        searched={searched}
        devices={devices.flatMap((device) => device ?? [])}
        report={sweep.suite ? publishedOfSuite(sweep.suite) : null}
        mayChange={mayChange}
        waiting={waiting}
      />
      {!sweep.tuning && (
        <Section id="specification" title="Specification" isFolded>
          <Command label="the specification" text={specText(sweep.spec)} />
        </Section>
      )}
    </>
  );
}

/** As `POST /sweeps` takes it, a case per line. */
const specText = ({ cases, ...rest }: SweepSpec): string =>
  `{"cases":[\n  ${cases.map((each) => JSON.stringify(each)).join(',\n  ')}\n],\n${JSON.stringify(rest).slice(1)}`;
