import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { BestAnswer } from '@/features/best/answer';
import { BestForm } from '@/features/best/form';
import { bestPageQuerySchema, DIMENSIONS } from '@/features/best/query';
import { snippet } from '@/features/best/snippet';
import { readable } from '@/server/visitor';
import { ButtonLink } from '@/ui/button';
import { Command } from '@/ui/copy';
import { Empty } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import type { SearchParams } from '@/ui/query';
import { searchObject } from '@/ui/search';

export const metadata: Metadata = { title: 'Best kernel' };

export default async function BestPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const parsed = bestPageQuerySchema.safeParse(searchObject(await searchParams));
  // The proxy has answered 400 to what the schema refuses.
  if (!parsed.success) notFound();
  const query = parsed.data;
  const isAsked = DIMENSIONS[query.op].every((name) => query[name] !== undefined);
  const [devices, best] = await Promise.all([
    store.devices.names(),
    isAsked ? store.best(query) : null,
  ]);
  if (query.device !== undefined && !devices.some(({ key }) => key === query.device)) notFound();

  return (
    <>
      <PageHeader title="Best kernel">
        The variant that ranked results say to run for a problem on a GPU, with its shader. Where
        the GPU was not measured, a variant that ships for it decides, then its architecture, its
        vendor, and all GPUs.
      </PageHeader>
      <Panel className="p-4">
        {/* The key renews the controls when the address changes under them. */}
        <BestForm key={JSON.stringify(query)} query={query} devices={devices} />
      </Panel>
      <div className="mt-8">
        {best && <BestAnswer best={best} />}
        {isAsked && !best && (
          <Empty title="No ranked result can say what to run">
            <p>
              Nothing was ranked for {query.op} {query.dtype} under {query.profile}, or nothing of
              it can run this problem on the device.
            </p>
            <ButtonLink href={`/sweeps/new?kernel=${query.op}/naive&dtype=${query.dtype}`}>
              Measure it
            </ButtonLink>
          </Empty>
        )}
      </div>
      <Section id="api" title="From a program" note="GET /api/v1/best, no token on a public grid">
        <Command text={snippet(await origin(), query)} label="the program" />
      </Section>
    </>
  );
}

/** Of this site, as the reader sees it. */
async function origin(): Promise<string> {
  const given = await headers();
  const host = given.get('x-forwarded-host') ?? given.get('host') ?? 'localhost';
  return `${given.get('x-forwarded-proto') ?? 'http'}://${host}`;
}
