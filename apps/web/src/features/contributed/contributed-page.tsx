import { type ContributedKernel, fileOf } from '@tilemark/core';
import type { ContributedResults, Principal } from '@tilemark/core/server';
import { kernelById } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
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
import { Tunables } from './tunables';

/** Highlighting takes time by the line, and anybody may ask for the page. */
const MOST_HIGHLIGHTED = 48 * 1024;

/** Earlier versions that are read to compare with. */
const MOST_EARLIER = 8;

/** A version of a contributed kernel: how it does beside ours, what it waits for, and its source. */
export async function ContributedPage({
  id,
  isWhole,
}: {
  id: string;
  /** Whether all of its source is shown. */
  isWhole: boolean;
}) {
  const { store } = await readable();
  const version = (await store.contributed.get(id)) ?? notFound();
  const user = await visitor();
  await store.contributed.admit([id]);
  const versions = await store.contributed.versions(version, user?.tokenId ?? null);
  const earlier = versions
    .filter(({ createdAt }) => createdAt < version.createdAt)
    .slice(0, MOST_EARLIER);
  const results = await store.contributed.results([id, ...earlier.map((each) => each.id)]);
  const isWrong = await store.contributed.isWrong(id);
  const { source = '', manifest } = fileOf(id) ?? {};
  const code = { source, label: `Source of ${id}` };
  const devices = (await store.devices.toPlan())
    .filter(({ class: kind, contributed }) => contributed > 0 && kind !== 'cpu')
    .map(({ class: kind, key, name }) => ({ class: kind, key, name }));

  return (
    <>
      <PageHeader
        title={<code className="text-xl">{id}</code>}
        actions={<Actions version={version} user={user} isWrong={isWrong} />}
      >
        {kernelById(id).idea}
        <span className="block text-xs">
          {version.op}, brought <Moment date={version.createdAt} /> with the token of{' '}
          {version.author}
        </span>
      </PageHeader>
      <Standing version={version} results={results} isWrong={isWrong} />
      {results.waiting.length > 0 && (
        <Section id="progress" title="Progress" note="this page follows it">
          <WaitingList waiting={results.waiting} />
        </Section>
      )}
      <Section id="results" title="Results" note="ratios: times as fast as the other">
        <Compared id={id} results={results} />
      </Section>
      <Tunables
        id={id}
        results={results}
        devices={devices}
        maySubmit={user?.role === 'member' || user?.role === 'admin'}
      />
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
  isWrong,
}: {
  version: ContributedKernel;
  results: ContributedResults;
  isWrong: boolean;
}) {
  return (
    <div className="space-y-3 empty:hidden">
      {publishedAt === null && (
        <Notice>
          Unlisted: until it is published, it is on no board and only in its author’s list. Whoever
          has this address can read it.
          {isWrong && ' It cannot be published, as all of its results are incorrect.'}
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
  isWrong,
}: {
  version: ContributedKernel;
  user: Principal | null;
  isWrong: boolean;
}) {
  const { id, publishedAt } = version;
  const url = `/api/v1/kernels/${id}`;
  const mayChange = user !== null && isOwner(user, version);
  return (
    <>
      {mayChange && publishedAt === null && !isWrong && (
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
