import { auditActionSchema } from '@tilemark/core';
import type { Metadata } from 'next';
import { z } from 'zod';
import { ACTIONS } from '@/features/audit/actions';
import { AuditTable } from '@/features/audit/audit-table';
import { administered } from '@/server/visitor';
import { AdminsOnly } from '@/ui/admins-only';
import { ButtonLink } from '@/ui/button';
import { Field, Select } from '@/ui/field';
import { Empty } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { QueryForm } from '@/ui/query-form';
import { Refused } from '@/ui/refused';

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
  const next = new URLSearchParams({
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    cursor: nextCursor ?? '',
  });

  return (
    <>
      <PageHeader
        title="Audit"
        actions={actor !== undefined && <ButtonLink href="/audit">Everybody</ButtonLink>}
      >
        Who did what. The list is only added to: not even the grid can change it.
      </PageHeader>
      <Refused reasons={refused} reset="/audit" />
      <div className="mb-4">
        <QueryForm label="Filter">
          {actor !== undefined && <input type="hidden" name="actor" value={actor} />}
          <Field id="action" label="Did what">
            <Select id="action" name="action" defaultValue={action ?? ''}>
              <option value="">anything</option>
              {auditActionSchema.options.map((each) => (
                <option key={each} value={each}>
                  {ACTIONS[each].did}
                </option>
              ))}
            </Select>
          </Field>
        </QueryForm>
      </div>
      {items.length > 0 ? (
        <AuditTable entries={items} />
      ) : (
        <Empty title="Nothing of the kind was done">
          <p>Logins, sweeps, imports, tokens and workers are listed here from now on.</p>
        </Empty>
      )}
      {nextCursor && (
        <nav aria-label="Pages" className="mt-4">
          <ButtonLink href={`/audit?${next}`}>Next page</ButtonLink>
        </nav>
      )}
    </>
  );
}
