import type { Store } from '@tilemark/core/server';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { z } from 'zod';
import { Candidates } from '@/features/compare/candidates';
import { compare, type Measured, measuredOf } from '@/features/compare/comparison';
import { Distributions } from '@/features/compare/distributions';
import { Effect } from '@/features/compare/effect';
import { Sides } from '@/features/compare/sides';
import { CompareTabs } from '@/features/compare/tabs';
import { firstItems } from '@/server/pages';
import { readable } from '@/server/visitor';
import { Button, ButtonLink } from '@/ui/button';
import { Field, Input } from '@/ui/field';
import { Notice } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { Refused } from '@/ui/refused';

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

  return (
    <>
      <PageHeader
        title="Compare"
        actions={
          query.a &&
          query.b && (
            <ButtonLink href={`/compare?${new URLSearchParams({ a: query.b, b: query.a })}`}>
              Swap A and B
            </ButtonLink>
          )
        }
      >
        B against A: FAST or SLOW only where the fast three quarters of their samples lie at least
        0.5 % apart.
      </PageHeader>
      <CompareTabs here="/compare" />
      <Refused reasons={refused} reset="/compare" />
      <Chooser a={query.a} b={query.b} />
      {a && b && <Compared a={a} b={b} />}
      {a && !b && <Candidates a={a} others={await othersOf(store, a)} />}
    </>
  );
}

/** Null: not asked for. */
async function load(store: Store, id: string | undefined) {
  if (!id) return null;
  return (await store.results.get(id)) ?? notFound();
}

/** Enough to choose from; results of larger sweeps are compared by their addresses. */
const MAX_OTHERS = 500;

const othersOf = (store: Store, { sweep }: Loaded) =>
  firstItems((cursor) => store.sweeps.results(sweep.id, cursor), MAX_OTHERS);

type Loaded = NonNullable<Awaited<ReturnType<typeof load>>>;

function Compared({ a, b }: { a: Loaded; b: Loaded }) {
  const left = measuredOf(a);
  const right = measuredOf(b);
  if (!left || !right) {
    return (
      <Notice tone="amber">
        {[!left && 'A', !right && 'B'].filter(Boolean).join(' and ')} ended without a measurement:
        there are no times to compare.
      </Notice>
    );
  }
  return <Verdicts a={left} b={right} />;
}

function Verdicts({ a, b }: { a: Measured; b: Measured }) {
  const comparison = compare(a, b);
  return (
    <>
      <Effect of={comparison} />
      {comparison.verdict !== null && (
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

/** Which two; works without scripts. */
function Chooser({ a = '', b = '' }: { a?: string | undefined; b?: string | undefined }) {
  return (
    <form
      method="get"
      aria-label="Results to compare"
      className="mb-6 flex flex-wrap items-end gap-3"
    >
      {(
        [
          ['a', 'Result A', a],
          ['b', 'Result B', b],
        ] as const
      ).map(([name, label, value]) => (
        <div key={name} className="min-w-60 flex-1">
          <Field id={`compare-${name}`} label={label}>
            <Input
              id={`compare-${name}`}
              name={name}
              defaultValue={value}
              key={value}
              required
              autoComplete="off"
              spellCheck={false}
              placeholder="its address or id"
              className="font-mono"
            />
          </Field>
        </div>
      ))}
      <Button type="submit" look="primary">
        Compare
      </Button>
    </form>
  );
}
