import type { Metadata } from 'next';
import { z } from 'zod';
import { TokenForm } from '@/features/tokens/token-form';
import { TokensTable } from '@/features/tokens/tokens-table';
import { administered, visitor } from '@/server/session/visitor';
import { AdminsOnly, PageHeader, Panel, Section } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { NextPage } from '@/ui/table';

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
        Worker tokens attach machines. Member tokens submit sweeps and kernels, import results, and
        cancel their own sweeps. Admin tokens do everything.
      </PageHeader>
      <Section title="Create a token" id="make">
        <Panel className="p-4">
          <TokenForm />
        </Panel>
      </Section>
      <Section title="All tokens" id="all">
        <TokensTable tokens={page.items} ownId={(await visitor())?.tokenId ?? ''} />
        <NextPage cursor={page.nextCursor} path="/operate/tokens" />
      </Section>
    </>
  );
}
