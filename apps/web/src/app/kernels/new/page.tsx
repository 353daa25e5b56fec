import { fileOf } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { LazyTryKernel } from '@/features/contributed/lazy';
import { services } from '@/server/services';
import { visitor } from '@/server/session/visitor';
import { TextLink } from '@/ui/button';
import { LogIn } from '@/ui/navigation';
import { NeedsScript, Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import type { SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'Try a kernel' };

/** Open on a private grid too, without what the grid has: who joined a class need not have an account. */
export default async function TryKernelPage({ searchParams }: { searchParams: SearchParams }) {
  const { settings, store } = await services();
  const { from } = await searchParams;
  const user = await visitor();
  const mayRead = settings.isPublic || user !== null;
  const [devices, version] = await Promise.all([
    mayRead ? store.devices.toPlan() : [],
    mayRead && typeof from === 'string' ? store.contributed.get(from) : null,
  ]);
  if (version) await store.contributed.admit([version.id]);
  const file = version && fileOf(version.id);
  const maySubmit = user?.role === 'member' || user?.role === 'admin';
  const able = devices.map(({ class: of, contributed, key, name, workers }) => ({
    class: of,
    key,
    name,
    why: contributed > 0 ? null : workers > 0 ? 'runs built-in kernels only' : 'no\u00a0worker',
  }));

  return (
    <>
      <PageHeader title="Try a kernel">
        A WGSL matrix product or transpose of yours: checked, measured, and compared with ours on
        the devices of this grid.{' '}
        <TextLink href="/docs/bring#the-file">What a file contains</TextLink>
      </PageHeader>
      {!maySubmit && (
        <Notice className="mb-6">
          <LogIn to="submit" /> Writing and checking needs none, and what you type is kept in this
          tab.
        </Notice>
      )}
      <NeedsScript what="The editor" />
      {/* As high as the editor, so that nothing moves when it comes: below `lg` in one column. */}
      <div className="min-h-[74.25rem] sm:min-h-[68.5rem] md:min-h-[66.5rem] lg:min-h-[52rem]">
        <LazyTryKernel
          version={settings.version}
          devices={able
            .filter((device) => device.class !== 'cpu')
            .toSorted((a, b) => Number(a.why !== null) - Number(b.why !== null))}
          from={
            version &&
            file && {
              id: version.id,
              source: file.source,
              ...(file.manifest !== undefined && { manifest: file.manifest }),
            }
          }
        />
      </div>
    </>
  );
}
