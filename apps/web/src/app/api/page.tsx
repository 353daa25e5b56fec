import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { v1 } from '@/server/api/app';
import { openApi } from '@/server/api/document';
import type { Access } from '@/server/session/access';
import { originOf } from '@/server/session/origin';
import { readable } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { ButtonAnchor, TextLink } from '@/ui/button';
import { Markdown } from '@/ui/markdown';
import { Badge } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';
import { DataTable } from '@/ui/table';

export const metadata: Metadata = { title: 'API' };

/** The parts of an operation of openapi.json that this page shows. */
interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-access': Access;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

const ACCESS: Readonly<Record<Access, string>> = {
  open: 'everyone',
  read: 'everyone; on a private grid, any token',
  publish: 'member, admin, or the token of an invite',
  submit: 'member or admin',
  work: 'worker or admin',
  admin: 'admin',
};

export default async function ApiPage() {
  const { settings } = await readable();
  const groups = groupsOf(openApi(v1, settings.version).paths ?? {});
  return (
    <>
      <PageHeader
        title="API"
        actions={<ButtonAnchor href="/api/v1/openapi.json">openapi.json</ButtonAnchor>}
      >
        JSON over HTTP; openapi.json describes every body. Writing requires a token, made on the{' '}
        <TextLink href="/operate/tokens">Tokens</TextLink> page and sent as{' '}
        <code>Authorization: Bearer</code>. Errors are <code>application/problem+json</code> with
        the field at fault. Lists are <code>{'{ items }'}</code>; those with a parameter{' '}
        <code>cursor</code> come in pages, of which <code>nextCursor</code> names the next.
      </PageHeader>
      <Command
        label="a command that asks for the best variant"
        text={`curl -fsS "${originOf(await headers())}/api/v1/best?op=matmul&m=1024&n=1024&k=1024&vendor=nvidia"`}
      />
      {[...groups].map(([group, members]) => (
        <Section key={group} id={`group-${group}`} title={titleOf(group)}>
          <DataTable
            caption={`API: ${titleOf(group)}`}
            rows={members}
            keyOf={({ operation }) => operation.operationId}
            columns={[
              {
                head: 'Request',
                className: 'font-normal wrap-anywhere sm:w-1/2',
                cell: ({ method, operation, path }) => (
                  <code id={operation.operationId}>
                    <Badge tone={method === 'GET' ? 'accent' : 'amber'}>{method}</Badge> /api/v1
                    {path}
                    <span className="text-muted">{queryText(operation)}</span>
                  </code>
                ),
              },
              {
                head: 'Answers',
                cell: ({ operation }) => (
                  <Markdown text={operation.summary} hrefOf={(link) => link} />
                ),
              },
              { head: 'For', cell: ({ operation }) => ACCESS[operation['x-access']] },
            ]}
          />
        </Section>
      ))}
    </>
  );
}

/** `?op&dtype` */
function queryText({ parameters = [] }: OpenApiOperation): string {
  const names = parameters.flatMap((parameter) => (parameter.in === 'query' ? parameter.name : []));
  return names.length > 0 ? `?${names.join('&')}` : '';
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
