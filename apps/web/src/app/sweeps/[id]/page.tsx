import { librariesOn, publishedOfSuite, type RunView, type SweepSpec } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { ReferenceTable } from '@/features/leaderboard/reference-rows';
import { libraryRates } from '@/features/sweeps/charts/library-lines';
import { loadDevices, MAX_RUNS } from '@/features/sweeps/load';
import { againOf } from '@/features/sweeps/new/from-sweep';
import { SweepView } from '@/features/sweeps/sweep-view';
import { isServed, stuckIn } from '@/features/workers/no-worker';
import { isOwner } from '@/server/session/access';
import { readable, visitor } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { Moment } from '@/ui/facts';
import { plural } from '@/ui/format';
import { PageHeader, Section } from '@/ui/page';

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
  const isFamily = sweep.tuning != null && 'suite' in sweep.tuning;
  const [runs, waiting, shapes, user, queues] = await Promise.all([
    store.sweeps.runs(sweep.id, MAX_RUNS),
    sweep.status === 'queued' ? store.sweeps.waiting(sweep.id) : [],
    isFamily ? store.tunings.shapes(sweep.id) : null,
    visitor(),
    store.workers.queues(),
  ]);
  const [devices, libraries] = await Promise.all([
    loadDevices(store, runs),
    librariesBeside(store, runs),
  ]);
  const maySubmit = user?.role === 'admin' || user?.role === 'member';
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
        shapes={shapes}
        devices={devices}
        libraries={libraryRates(libraries, new Set(runs.map(({ device }) => device.name)))}
        report={sweep.suite ? publishedOfSuite(sweep.suite) : null}
        mayChange={mayChange}
        stuck={stuckIn(runs, queues)}
        waiting={waiting.filter(({ isServed }) => isServed)}
        again={
          maySubmit && !sweep.tuning && isServed(sweep.spec.devices, queues) ? againOf(sweep) : null
        }
      />
      {libraries.length > 0 && (
        <Section
          id="libraries"
          isFolded
          title="Libraries on these problems"
          note="not measured by this grid, never ranked"
        >
          <ReferenceTable caption="Libraries on the problems of this sweep" figures={libraries} />
        </Section>
      )}
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

/** Libraries on the problems of a sweep, of every op and dtype that it has. */
async function librariesBeside(store: Store, runs: readonly RunView[]) {
  const problems = runs.map(({ problem }) => problem);
  const kinds = new Map(problems.map(({ dtype, op }) => [`${op} ${dtype}`, { dtype, op }]));
  const figures = await Promise.all([...kinds.values()].map((kind) => store.references.list(kind)));
  return librariesOn(figures.flat(), problems);
}
