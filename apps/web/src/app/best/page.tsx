import { opById, type Shape, shapeText } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { BestAnswer } from '@/features/best/answer';
import { BestForm } from '@/features/best/form';
import {
  type BestPageQuery,
  bestPageQuerySchema,
  dimensionsOf,
  sizesOf,
} from '@/features/best/query';
import { snippet } from '@/features/best/snippet';
import { usualQuestion } from '@/features/best/usual';
import { originOf } from '@/server/session/origin';
import { readable } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { ButtonLink } from '@/ui/button';
import { formatShape } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import { type SearchParams, searchObject } from '@/ui/query';
import { Words } from '@/ui/words';

export const metadata: Metadata = { title: 'Best kernel' };

const isWhole = (query: BestPageQuery) =>
  dimensionsOf(query.op).every((each) => (query[each.name] ?? each.default) !== undefined);

export default async function BestPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const given = searchObject(await searchParams);
  const parsed = bestPageQuerySchema.safeParse(given);
  // The proxy has already answered 400 to what the schema refuses.
  if (!parsed.success) notFound();
  const { show, ...asked } = parsed.data;
  const { show: _, ...rest } = given;
  const fold = {
    isOpen: show === 'wgsl',
    href: `?${new URLSearchParams(show === 'wgsl' ? rest : { ...rest, show: 'wgsl' })}#wgsl`,
  };
  const { device, op } = asked;
  const devices = await store.devices.names();
  if (device !== undefined && !devices.some(({ key }) => key === device)) notFound();
  const isAsked = isWhole(asked);
  const query = isAsked ? asked : ((await usualQuestion(store, op, devices)) ?? asked);
  const best = isWhole(query) ? await store.best(query) : null;
  const shape = shapeText({ op, shape: opById(op).shape(sizesOf(query)) as Shape });
  const origin = originOf(await headers());

  return (
    <>
      <PageHeader title="Best kernel">
        The fastest known variant for a problem on your GPU, with its shader, ready to use: ranked
        on that GPU or shipped for its model, whichever is faster, or predicted where neither has
        this shape. Without any of these it comes from GPUs of its architecture, of its vendor, or
        from all adapters, those in software too.
        <Words of={['variant', 'profile']} />
      </PageHeader>
      <Panel className="p-4">
        {/* The key resets the controls when the address changes. */}
        <BestForm key={JSON.stringify(query)} query={query} devices={devices} />
      </Panel>
      <div className="mt-8">
        {best && !isAsked && (
          <p className="mb-4 text-muted">
            An example: the problem and the GPU with the most evidence. Enter your own above.
          </p>
        )}
        {best && <BestAnswer best={best} fold={fold} />}
        {!best && (
          <Empty
            title={`No answer yet for ${op} ${formatShape(shape)} ${query.dtype} under profile ${query.profile}`}
          >
            <p>
              No result that is ranked here under this profile, and no tuned variant that ships with
              Tilemark, says what such a device can run on this problem. Find the fastest yourself:
              this searches for two minutes on the machine where it runs.
            </p>
            <div className="text-left">
              <Command
                label="the command that tunes"
                text={`npx -y ${origin}/worker.tgz tune --op ${op} --shape ${shape} --dtype ${query.dtype} --profile ${query.profile} --budget 2m`}
              />
            </div>
            <ButtonLink
              href={`/sweeps/new?${new URLSearchParams({
                kernel: `${op}/naive`,
                shape,
                dtype: query.dtype,
                profile: query.profile,
              })}`}
            >
              Or sweep kernels on this grid’s workers
            </ButtonLink>
          </Empty>
        )}
      </div>
      {/* No browser runs what a host's CPU does. */}
      {best?.wgsl !== null && (
        <Section
          id="api"
          title="From a program"
          note="GET /api/v1/best; a public grid needs no token"
        >
          {query.device && (
            <p className="mb-2 text-[0.8125rem] text-muted">
              The program asks for the vendor and architecture of the GPU that it runs on. Of a
              single device, as above, more may be known: <code>device={query.device}</code> asks
              for that.
            </p>
          )}
          <Command text={snippet(origin, query)} label="the program" />
        </Section>
      )}
    </>
  );
}
