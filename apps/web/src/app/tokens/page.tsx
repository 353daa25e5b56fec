import type { Metadata } from 'next';
import { z } from 'zod';
import { TokenForm } from '@/features/tokens/token-form';
import { TokensTable } from '@/features/tokens/tokens-table';
import { administered, visitor } from '@/server/visitor';
import { AdminsOnly } from '@/ui/admins-only';
import { NextPage } from '@/ui/next-page';
import { PageHeader, Panel, Section } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'Tokens' };

const querySchema = z.object({ cursor: z.string().max(500).optional() });

export default async function TokensPage({ searchParams }: { searchParams: SearchParams }) {
  const services = await administered();
  if (!services) return <AdminsOnly />;
  const { query } = parseQuery(querySchema, await searchParams);
  const page = await services.store.tokens.list(query.cursor);

  return (
    <>
      <PageHeader title="Tokens">
        Members submit sweeps and cancel their own; admins may do everything; a worker token lets
        machines attach, and nothing else.
      </PageHeader>
      <Section title="Make a token" id="make">
        <Panel className="p-4">
          <TokenForm initialRole="member" />
        </Panel>
      </Section>
      <Section title="All tokens" id="all">
        <TokensTable tokens={page.items} ownId={(await visitor())?.tokenId ?? ''} />
        <NextPage cursor={page.nextCursor} path="/tokens" />
      </Section>
    </>
  );
}
