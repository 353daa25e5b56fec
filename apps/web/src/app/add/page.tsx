import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { Classes } from '@/features/classes/classes';
import { Attach } from '@/features/workers/attach';
import { ImportResults } from '@/features/workers/import-results';
import { originOf } from '@/server/session/origin';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'Add your GPU' };

export default async function AddPage() {
  const { store } = await readable();
  const user = await visitor();
  const isAdmin = user?.role === 'admin';
  const maySubmit = isAdmin || user?.role === 'member';
  const invites = maySubmit ? await store.invites.list(isAdmin ? undefined : user?.tokenId) : [];
  const origin = originOf(await headers());

  return (
    <>
      <PageHeader
        title="Add your GPU"
        actions={
          <ButtonLink href="/join" look="primary">
            Benchmark this browser
          </ButtonLink>
        }
      >
        A browser tab needs nothing installed. A machine measures more: Vulkan, D3D12 or Metal, and
        both profiles.
      </PageHeader>
      <Section title="Attach a machine" id="attach">
        <Attach origin={origin} isAdmin={isAdmin} />
      </Section>
      {maySubmit && (
        <Section title="Make a class" id="class">
          <Classes
            origin={origin}
            invites={invites}
            mayTrust={user !== null && (await store.tokens.isTrusted(user.tokenId))}
          />
        </Section>
      )}
      <Section title="Import results from a machine that cannot reach this grid" id="import">
        <ImportResults origin={origin} />
      </Section>
    </>
  );
}
