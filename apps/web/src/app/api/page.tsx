import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { Endpoint, type OpenApiOperation } from '@/features/api/endpoint';
import { v1 } from '@/server/api/app';
import { openApi } from '@/server/api/document';
import { originOf } from '@/server/session/origin';
import { readable } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { ButtonAnchor, TextLink } from '@/ui/button';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'API' };

export default async function ApiPage() {
  const { settings } = await readable();
  const groups = groupsOf(openApi(v1, settings.version).paths ?? {});
  return (
    <>
      <PageHeader
        title="API"
        actions={<ButtonAnchor href="/api/v1/openapi.json">openapi.json</ButtonAnchor>}
      >
        JSON over HTTP. Writing requires a token, made on the{' '}
        <TextLink href="/operate/tokens">Tokens</TextLink> page and sent as{' '}
        <code>Authorization: Bearer</code>; only <code>POST /invites/redeem</code>, which makes one,
        does without. Errors are <code>application/problem+json</code> with the field at fault; most
        lists are <code>{'{ items }'}</code>. Those with a parameter <code>cursor</code> come in
        pages: <code>nextCursor</code> is that of the next one, or null.
      </PageHeader>
      <Command
        label="a command that asks for the best variant"
        text={`curl -fsS "${originOf(await headers())}/api/v1/best?op=matmul&m=1024&n=1024&k=1024&vendor=nvidia"`}
      />
      {[...groups].map(([group, members]) => (
        <Section key={group} id={`group-${group}`} title={titleOf(group)}>
          <div className="space-y-3">
            {members.map((member) => (
              <Endpoint key={member.operation.operationId} {...member} />
            ))}
          </div>
        </Section>
      ))}
    </>
  );
}

interface Member {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** Operations by the first part of their path, in the order they are declared. */
function groupsOf(paths: Readonly<Record<string, object>>): Map<string, Member[]> {
  const groups = new Map<string, Member[]>();
  for (const [path, methods] of Object.entries(paths)) {
    const group = path.split('/')[1] ?? '';
    const members = Object.entries<OpenApiOperation>({ ...methods }).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    }));
    groups.set(group, [...(groups.get(group) ?? []), ...members]);
  }
  return groups;
}

const titleOf = (group: string): string =>
  group === 'openapi.json'
    ? 'OpenAPI document'
    : `${group.charAt(0).toUpperCase()}${group.slice(1)}`;
