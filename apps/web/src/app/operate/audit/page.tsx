import { auditActionSchema } from '@tilemark/core';
import type { Metadata } from 'next';
import { z } from 'zod';
import { ACTIONS, AuditTable } from '@/features/audit/audit-table';
import { administered } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { SelectField } from '@/ui/field';
import { Empty, Refused } from '@/ui/notice';
import { AdminsOnly, PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { QueryForm } from '@/ui/query-form';
import { NextPage } from '@/ui/table';

export const metadata: Metadata = { title: 'Audit' };

const querySchema = z.object({
  cursor: z.string().max(500).optional(),
  actor: z.string().max(64).optional(),
  action: auditActionSchema.optional(),
});

export default async function AuditPage({ searchParams }: { searchParams: SearchParams }) {
  const services = await administered();
  if (!services) return <AdminsOnly />;
  const { query, refused } = parseQuery(querySchema, await searchParams);
  const { cursor, actor, action } = query;
  const { items, nextCursor } = await services.store.audit.list({ cursor, actorId: actor, action });
  const filter = { ...(actor !== undefined && { actor }), ...(action !== undefined && { action }) };

  return (
    <>
      <PageHeader
        title="Audit"
        actions={actor !== undefined && <ButtonLink href="/operate/audit">Everyone</ButtonLink>}
      >
        Who did what. Entries are only ever added; not even the grid can change them.
      </PageHeader>
      <Refused reasons={refused} reset="/operate/audit" />
      <div className="mb-4">
        <QueryForm label="Filter">
          {actor !== undefined && <input type="hidden" name="actor" value={actor} />}
          <SelectField
            {...{ id: 'action', name: 'action', label: 'Action' }}
            defaultValue={action ?? ''}
            options={[
              ['', 'any'],
              ...auditActionSchema.options.map((each) => [each, ACTIONS[each].did] as const),
            ]}
          />
        </QueryForm>
      </div>
      {items.length > 0 ? (
        <AuditTable entries={items} />
      ) : (
        <Empty title="No entries match this filter.">
          <p>Logins, sweeps, imports, and changes to tokens and workers are listed here.</p>
        </Empty>
      )}
      <NextPage cursor={nextCursor} path="/operate/audit" query={filter} />
    </>
  );
}
