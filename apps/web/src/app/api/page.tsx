import type { Metadata } from 'next';
import { Endpoint } from '@/features/api/endpoint';
import { type Operation, operations } from '@/server/operations';
import { readable } from '@/server/visitor';
import { ButtonAnchor, TextLink } from '@/ui/button';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'API' };

/** Operations by the first part of their path, in the order they are declared. */
const GROUPS = new Map<string, [id: string, Operation][]>();
for (const [id, operation] of Object.entries<Operation>(operations)) {
  const group = operation.path.split('/')[1] ?? '';
  GROUPS.set(group, [...(GROUPS.get(group) ?? []), [id, operation]]);
}

export default async function ApiPage() {
  await readable();
  return (
    <>
      <PageHeader
        title="API"
        actions={<ButtonAnchor href="/api/v1/openapi.json">openapi.json</ButtonAnchor>}
      >
        JSON over HTTP. Writing takes a token, made on the{' '}
        <TextLink href="/workers">Workers</TextLink> page and sent as{' '}
        <code>Authorization: Bearer</code>. Errors are <code>application/problem+json</code> with
        the field at fault; lists are <code>{'{ items, nextCursor }'}</code>.
      </PageHeader>
      {[...GROUPS].map(([group, members]) => (
        <Section key={group} id={`group-${group}`} title={group}>
          <div className="space-y-3">
            {members.map(([id, operation]) => (
              <Endpoint key={id} id={id} operation={operation} />
            ))}
          </div>
        </Section>
      ))}
    </>
  );
}
