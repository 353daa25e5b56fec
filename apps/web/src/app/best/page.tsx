import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { BestAnswer, snippet } from '@/features/best/answer';
import { BestForm } from '@/features/best/form';
import { bestPageQuerySchema, dimensionsOf } from '@/features/best/query';
import { originOf } from '@/server/session/origin';
import { readable } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { ButtonLink } from '@/ui/button';
import { Empty } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import { type SearchParams, searchObject } from '@/ui/query';
import { Words } from '@/ui/words';

export const metadata: Metadata = { title: 'Best kernel' };

export default async function BestPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const parsed = bestPageQuerySchema.safeParse(searchObject(await searchParams));
  // The proxy has already answered 400 to what the schema refuses.
  if (!parsed.success) notFound();
  const query = parsed.data;
  const isAsked = dimensionsOf(query.op).every((name) => query[name] !== undefined);
  const [devices, best] = await Promise.all([
    store.devices.names(),
    isAsked ? store.best(query) : null,
  ]);
  if (query.device !== undefined && !devices.some(({ key }) => key === query.device)) notFound();

  return (
    <>
      <PageHeader title="Best kernel">
        The fastest known variant for a problem on a GPU, with its shader: from ranked results on
        that GPU or, without any, from the variant shipped for it, then from its architecture, its
        vendor, and all GPUs.
        <Words of={['variant', 'profile']} />
      </PageHeader>
      <Panel className="p-4">
        {/* The key resets the controls when the address changes. */}
        <BestForm key={JSON.stringify(query)} query={query} devices={devices} />
      </Panel>
      <div className="mt-8">
        {best && <BestAnswer best={best} />}
        {isAsked && !best && (
          <Empty title="No ranked results for this problem">
            <p>
              Nothing is ranked for {query.op} {query.dtype} under profile {query.profile}, or
              nothing ranked can run this problem on the device.
            </p>
            <ButtonLink href={`/sweeps/new?kernel=${query.op}/naive&dtype=${query.dtype}`}>
              Measure it
            </ButtonLink>
          </Empty>
        )}
      </div>
      <Section
        id="api"
        title="From a program"
        note="GET /api/v1/best; a public grid needs no token"
      >
        <Command text={snippet(originOf(await headers()), query)} label="the program" />
      </Section>
    </>
  );
}
