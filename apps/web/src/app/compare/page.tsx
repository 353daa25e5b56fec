import type { Store } from '@tilemark/core/server';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { z } from 'zod';
import { compare, type Measured, measuredOf } from '@/features/compare/comparison';
import { Sides } from '@/features/compare/sides';
import { Effect } from '@/features/compare/verdict';
import { duelCommand } from '@/features/results/reproduce';
import { Samples } from '@/features/results/samples';
import { originOf } from '@/server/session/origin';
import { readable } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { ButtonLink, TextLink } from '@/ui/button';
import { Empty, Notice, Refused } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'Compare' };

/** A result's id or address as people copy it. */
const side = z.string().trim().max(400).optional();
const querySchema = z.object({ a: side, b: side });

export default async function ComparePage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const { query, refused } = parseQuery(querySchema, await searchParams);
  const [a, b] = await Promise.all([load(store, query.a), load(store, query.b)]);
  const unknown = [a ? undefined : query.a, b ? undefined : query.b].flatMap((id) => id ?? []);
  const isPair = a && b && a.id !== b.id;
  return (
    <>
      <PageHeader
        title="Compare"
        actions={isPair && <ButtonLink href={hrefOf(b.id, a.id)}>Swap A and B</ButtonLink>}
      >
        Is B faster than A? Differences within ±0.5% count as the same.
      </PageHeader>
      <Refused
        reasons={[...refused, ...unknown.map((id) => `There is no result “${id}”.`)]}
        reset="/compare"
        title="This comparison is incomplete"
        instead="Tick two others."
      />
      {isPair ? (
        <Compared a={a} b={b} />
      ) : (
        <Empty title="Tick two to compare">
          <p>
            Results have ticks in <TextLink href="/sweeps">sweeps</TextLink> and on the pages of{' '}
            <TextLink href="/kernels">kernels</TextLink> and{' '}
            <TextLink href="/devices">devices</TextLink>.
          </p>
        </Empty>
      )}
    </>
  );
}

const hrefOf = (a: string, b: string) => `/compare?${new URLSearchParams({ a, b })}`;

/** The result that an id or an address names; null: nothing, or none was given. */
async function load(store: Store, asked: string | undefined) {
  if (!asked) return null;
  const id = asked.split(/[?#]/)[0]?.split('/').at(-1) ?? asked;
  const result = await store.results.get(id);
  return result && { id, result };
}
type Loaded = NonNullable<Awaited<ReturnType<typeof load>>>;

async function Compared({ a, b }: { a: Loaded; b: Loaded }) {
  const { store } = await readable();
  const [left, right] = await Promise.all(
    [a, b].map(({ result }) => measuredOf(result, store.devices.spread)),
  );
  if (!left || !right) {
    return <Notice tone="amber">One of them has no measurement to compare.</Notice>;
  }
  return <Verdicts a={left} b={right} origin={originOf(await headers())} />;
}

function Verdicts({ a, b, origin }: { a: Measured; b: Measured; origin: string }) {
  const comparison = compare(a, b);
  const duel = comparison.verdict === 'UNDECIDED' ? duelCommand(a.result, b.result, origin) : null;
  return (
    <>
      <Effect of={comparison} />
      {duel && (
        <Section id="duel" title="Let them take turns on your machine">
          <Command label="the command that lets both take turns" text={duel} />
        </Section>
      )}
      {(comparison.verdict !== null || comparison.isRepeat) && (
        <Section id="samples" title="Samples">
          <Panel>
            <Samples
              sides={[
                { name: 'A', series: a.measurement.cold },
                { name: 'B', series: b.measurement.cold },
              ]}
            />
          </Panel>
        </Section>
      )}
      <Section id="sides" title="Side by side">
        <Sides a={a} b={b} />
      </Section>
    </>
  );
}
