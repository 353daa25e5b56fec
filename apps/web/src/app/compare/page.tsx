import type { RunResult } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { z } from 'zod';
import { Candidates } from '@/features/compare/candidates';
import { CompareTabs, PairForm, ResultSelect } from '@/features/compare/choice';
import { compare, type Measured, measuredOf } from '@/features/compare/comparison';
import { Distributions } from '@/features/compare/distributions';
import { Sides } from '@/features/compare/sides';
import { Effect } from '@/features/compare/verdict';
import { duelCommand } from '@/features/results/reproduce';
import { firstItems } from '@/server/pages/lists';
import { originOf } from '@/server/session/origin';
import { readable } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { ButtonLink, TextLink } from '@/ui/button';
import { Notice, Refused } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { Words } from '@/ui/words';

export const metadata: Metadata = { title: 'Compare' };

/** Ids, or whole addresses of results as people copy them. */
const resultId = z
  .string()
  .trim()
  .max(300)
  .transform((text) => text.split(/[?#]/)[0]?.split('/').at(-1) ?? text);
const querySchema = z.object({ a: resultId.optional(), b: resultId.optional() });

export default async function ComparePage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const { query, refused } = parseQuery(querySchema, await searchParams);
  const [a, b] = await Promise.all([load(store, query.a), load(store, query.b)]);
  const choices = await choicesOf(store, a);
  const isSame = a !== null && a.resultId === b?.resultId;
  const same = isSame ? 'A and B are the same result: choose two different ones.' : undefined;
  const unknown = [!a && query.a, !b && query.b].filter((id) => id !== undefined && id !== false);

  return (
    <>
      <PageHeader
        title="Compare"
        actions={
          a &&
          b &&
          !isSame && (
            <ButtonLink href={`/compare?a=${b.resultId}&b=${a.resultId}`}>Swap A and B</ButtonLink>
          )
        }
      >
        Is B faster than A? Faster or slower if the 95% interval of their ratio lies wholly beyond
        ±0.5%, the same if it lies wholly within. Otherwise it is undecided, and the page says what
        would decide it.
        <Words of={['variant', 'profile', 'peak', 'interval', 'policy']} />
      </PageHeader>
      <CompareTabs here="/compare" />
      <Refused
        reasons={[...refused, ...unknown.map((id) => `There is no result “${id}”.`)]}
        reset="/compare"
        title="This comparison is incomplete"
        instead="Choose other results below."
      />
      <PairForm
        of="Result"
        error={same}
        control={(side, id) => (
          <ResultSelect
            id={id}
            name={side}
            value={query[side]}
            error={side === 'b' ? same : undefined}
            chosen={side === 'a' ? a : b}
            choices={choices}
          />
        )}
      />
      {a && b && !isSame && <Compared a={a} b={b} />}
      {!query.a && !query.b && (
        <p className="text-muted">
          Tick two results on <TextLink href="/">the leaderboard</TextLink>,{' '}
          <TextLink href="/sweeps">a sweep</TextLink>, <TextLink href="/kernels">a kernel</TextLink>{' '}
          or <TextLink href="/devices">a device</TextLink>, or choose among the best of each device
          above; a wide interval counts at its slow end, so another may have a shorter median.
        </p>
      )}
      {a && (!b || isSame) && <Candidates a={a} others={await othersOf(store, a)} />}
    </>
  );
}

/** Null: not asked for, or there is none. */
async function load(store: Store, id: string | undefined) {
  if (!id) return null;
  return store.results.get(id);
}

/** Devices whose best results can be chosen. */
const MAX_DEVICES = 20;

/** The best of each device, and what is of the same sweep as `a`. */
async function choicesOf(store: Store, a: Loaded | null): Promise<RunResult[]> {
  const devices = await firstItems(store.devices.list, MAX_DEVICES);
  const [bests, others] = await Promise.all([
    Promise.all(devices.map(({ key }) => store.devices.best(key))),
    a ? othersOf(store, a) : [],
  ]);
  const all = [...bests.flat(), ...others].filter(({ outcome }) => outcome?.kind === 'measured');
  return [...new Map(all.map((each) => [each.resultId, each])).values()];
}

/** Enough to choose from; results of larger sweeps are compared by their addresses. */
const MAX_OTHERS = 500;

const othersOf = (store: Store, { sweep }: Loaded) =>
  firstItems((cursor) => store.sweeps.results(sweep.id, cursor), MAX_OTHERS);

type Loaded = NonNullable<Awaited<ReturnType<typeof load>>>;

async function Compared({ a, b }: { a: Loaded; b: Loaded }) {
  const { store } = await readable();
  const [left, right] = await Promise.all([a, b].map((of) => measuredOf(of, store.devices.spread)));
  if (!left || !right) {
    return (
      <Notice tone="amber">
        {[!left && 'A', !right && 'B'].filter(Boolean).join(' and ')} ended without a measurement:
        there are no times to compare.
      </Notice>
    );
  }
  return <Verdicts a={left} b={right} origin={originOf(await headers())} />;
}

function Verdicts({ a, b, origin }: { a: Measured; b: Measured; origin: string }) {
  const comparison = compare(a, b);
  const duel = comparison.verdict === 'UNDECIDED' ? duelCommand(a.result, b.result, origin) : null;
  return (
    <>
      <Effect of={comparison} a={a} b={b} />
      {duel && (
        <Section id="duel" title="Let them take turns on your machine">
          <p className="mb-2 text-muted">
            A duel lets both take turns in one process, which tells smaller differences apart than
            two separate runs.
          </p>
          <Command label="the command that lets both take turns" text={duel} />
        </Section>
      )}
      {(comparison.verdict !== null || comparison.repeat !== null) && (
        <Section id="samples" title="Samples">
          <Panel>
            <Distributions a={a.measurement.cold} b={b.measurement.cold} />
          </Panel>
        </Section>
      )}
      <Section id="sides" title="Side by side">
        <Sides a={a} b={b} />
      </Section>
    </>
  );
}
