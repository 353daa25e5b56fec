import type { ContributedKernel } from '@tilemark/core';
import { defaultText } from '@tilemark/core/contributed';
import type { ContributedResults, Principal } from '@tilemark/core/server';
import { fileOf, kernelById } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import { EnginesSection } from '@/features/engines/section';
import { kernelHref } from '@/features/kernels/address';
import { WaitingList } from '@/features/queues/waiting-list';
import { isOwner } from '@/server/session/access';
import { readable, visitor } from '@/server/session/visitor';
import { Action, CopyButton } from '@/ui/action';
import { ButtonLink, TextLink } from '@/ui/button';
import { PlainCode, WgslCode } from '@/ui/code';
import { Ago, Moment } from '@/ui/facts';
import { Badge, Notice } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';
import { DataTable } from '@/ui/table';
import { Compared } from './compared';

/** Highlighting takes time by the line, and anybody may ask for the page. */
const MOST_HIGHLIGHTED = 48 * 1024;

/** Earlier versions that are read to compare with. */
const MOST_EARLIER = 8;

/** A version of a contributed kernel: how it does beside ours, what it waits for, and its source. */
export async function ContributedPage({
  id,
  shown,
}: {
  id: string;
  /** The long part that is shown: its source, or what the engines say. */
  shown: string | undefined;
}) {
  const { store } = await readable();
  const version = (await store.contributed.get(id)) ?? notFound();
  const user = await visitor();
  await store.contributed.admit([id]);
  const versions = await store.contributed.list(user?.tokenId ?? null, version);
  const earlier = versions
    .filter(({ createdAt }) => createdAt < version.createdAt)
    .slice(0, MOST_EARLIER);
  const results = await store.contributed.results([id, ...earlier.map((each) => each.id)]);
  const unproved = version.publishedAt === null ? await store.contributed.unprovedOf(id) : null;
  const { source = '', manifest } = fileOf(id) ?? {};
  const code = { source, label: `Source of ${id}` };
  const isWhole = shown === 'wgsl';
  const kernel = kernelById(id);

  return (
    <>
      <PageHeader
        title={<code className="text-xl">{id}</code>}
        actions={<Actions version={version} user={user} unproved={unproved} />}
      >
        {kernelById(id).idea}
        <span className="block text-xs">
          {version.op}, brought <Moment date={version.createdAt} /> with the token of{' '}
          {version.author}
        </span>
      </PageHeader>
      <Standing version={version} results={results} unproved={unproved} />
      {results.waiting.length > 0 && (
        <Section id="progress" title="Progress" note="this page follows it">
          <WaitingList waiting={results.waiting} />
        </Section>
      )}
      <Section id="results" title="Results" note="ratios: times as fast as the other">
        <Compared id={id} results={results} />
      </Section>
      {versions.length > 1 && (
        <Section id="versions" title="Versions">
          <DataTable
            caption={`Versions of ${version.author}/${version.name}`}
            rows={versions}
            keyOf={(each) => each.id}
            columns={[
              {
                head: 'Version',
                cell: (each) =>
                  each.id === id ? (
                    <code>{each.id} (this one)</code>
                  ) : (
                    <TextLink href={kernelHref(each.id)}>
                      <code>{each.id}</code>
                    </TextLink>
                  ),
              },
              { head: 'Brought', cell: ({ createdAt }) => <Ago date={createdAt} /> },
              { head: 'State', cell: (each) => <Listed of={each} /> },
            ]}
          />
        </Section>
      )}
      <EnginesSection
        href="?show=compiles#compiles"
        texts={
          shown === 'compiles' && kernel.runsOn === 'gpu'
            ? {
                tint: defaultText({ kernel }, 'tint'),
                naga: defaultText({ kernel }, 'naga'),
                lines: source.split('\n').length,
              }
            : null
        }
      />
      <Section
        id="wgsl"
        title="Source"
        note="as its author wrote it; places of errors are lines of this text"
        actions={<CopyButton text={source} label="the source" />}
      >
        {source.length > MOST_HIGHLIGHTED ? (
          <PlainCode {...code} />
        ) : (
          <WgslCode
            {...code}
            fold={{ isOpen: isWhole, href: `?${isWhole ? '' : 'show=wgsl'}#wgsl` }}
          />
        )}
        {manifest !== undefined && (
          <div className="mt-3">
            <PlainCode source={manifest} label={`Manifest of ${id}`} />
          </div>
        )}
      </Section>
    </>
  );
}

/** Whether it is listed, and where it runs no more. */
function Standing({
  version: { publishedAt },
  results: { quarantined },
  unproved,
}: {
  version: ContributedKernel;
  results: ContributedResults;
  unproved: string | null;
}) {
  return (
    <div className="space-y-3 empty:hidden">
      {publishedAt === null && (
        <Notice>
          Unlisted: until it is published, it is on no board and only in its author’s list. Whoever
          has this address can read it.
          {unproved !== null && ` It cannot be published: ${unproved}.`}
        </Notice>
      )}
      {quarantined.length > 0 && (
        <Notice tone="amber">
          Quarantined on {quarantined.map(({ name }) => name).join(', ')}: it has crashed or hung
          the device twice, so further runs there are skipped.
        </Notice>
      )}
    </div>
  );
}

const Listed = ({ of: { publishedAt } }: { of: ContributedKernel }) =>
  publishedAt === null ? <Badge>unlisted</Badge> : <Badge tone="accent">published</Badge>;

function Actions({
  version,
  user,
  unproved,
}: {
  version: ContributedKernel;
  user: Principal | null;
  unproved: string | null;
}) {
  const { id, publishedAt } = version;
  const url = `/api/v1/kernels/${id}`;
  const mayChange = user !== null && isOwner(user, version);
  return (
    <>
      {mayChange && publishedAt === null && unproved === null && (
        <Action url={`${url}/publish`} label={id}>
          Publish
        </Action>
      )}
      {mayChange && (
        <Action
          url={url}
          method="DELETE"
          label={id}
          question={`Delete ${id}? It and its results leave the lists and boards, and this very version cannot come back.`}
          next="/kernels"
        >
          Delete
        </Action>
      )}
      <ButtonLink href={`/kernels/new?${new URLSearchParams({ from: id })}`}>
        New version
      </ButtonLink>
    </>
  );
}

/** Kernels of other people: those published, and the reader's own. */
export function ContributedList({ kernels }: { kernels: readonly ContributedKernel[] }) {
  return (
    <DataTable
      caption="Contributed kernels"
      rows={kernels}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Version',
          cell: ({ id }) => (
            <TextLink href={kernelHref(id)}>
              <code>{id}</code>
            </TextLink>
          ),
        },
        { head: 'Author', cell: ({ author }) => author },
        { head: 'Operation', cell: ({ op }) => op },
        { head: 'State', cell: (each) => <Listed of={each} /> },
        { head: 'Brought', isFigure: true, cell: ({ createdAt }) => <Ago date={createdAt} /> },
      ]}
    />
  );
}
