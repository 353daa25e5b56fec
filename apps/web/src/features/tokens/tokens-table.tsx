import type { Token } from '@tilemark/core';
import { Action } from '@/ui/action';
import { Ago, Moment } from '@/ui/facts';
import { Badge } from '@/ui/notice';
import { DataTable } from '@/ui/table';

const TONES = { valid: 'accent', closed: 'amber', expired: 'neutral', revoked: 'rose' } as const;

/** Every token without its secret, expired and revoked ones included. */
export function TokensTable({ tokens, ownId }: { tokens: readonly Token[]; ownId: string }) {
  const now = new Date();
  return (
    <DataTable
      caption="Tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Name',
          cell: ({ id, name }) => (
            <>
              {name}
              {id === ownId && <span className="font-normal text-muted"> (yours)</span>}
            </>
          ),
        },
        { head: 'Role', cell: ({ role }) => role },
        { head: 'State', cell: (token) => <State of={tokenState(token, now)} /> },
        {
          head: 'Trusted',
          className: 'py-0!',
          cell: ({ id, name, role, trusted }) => (
            <>
              {trusted ? 'yes' : 'no'}
              {role !== 'admin' && (
                <Action
                  url={`/api/v1/tokens/${encodeURIComponent(id)}/trust`}
                  body={{ trusted: !trusted }}
                  label={name}
                  question={
                    trusted
                      ? `Take back the trust in ${name}? Its results decide nothing from now on.`
                      : `Trust ${name}? Its results decide headlines, /best and roofs from now on.`
                  }
                >
                  {trusted ? 'Distrust' : 'Trust'}
                </Action>
              )}
            </>
          ),
        },
        {
          head: 'Created',
          className: 'text-muted',
          cell: ({ createdAt }) => <Moment date={createdAt} />,
        },
        {
          head: 'Expires',
          className: 'text-muted',
          cell: ({ expiresAt }) => (expiresAt ? <Moment date={expiresAt} /> : 'never'),
        },
        {
          head: 'Last used',
          className: 'text-muted',
          cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago date={lastUsedAt} /> : 'never'),
        },
        {
          head: 'Actions',
          className: 'py-0!',
          cell: (token) =>
            ['valid', 'closed'].includes(tokenState(token, now)) && (
              <Action
                url={`/api/v1/tokens/${encodeURIComponent(token.id)}`}
                method="DELETE"
                label={token.name}
                question={`Revoke the token ${token.name}? Its sessions and workers end immediately.`}
              >
                Revoke
              </Action>
            ),
        },
      ]}
    />
  );
}

function State({ of }: { of: ReturnType<typeof tokenState> }) {
  return (
    <>
      <Badge tone={TONES[of]}>{of}</Badge>
      {of === 'closed' && (
        <span className="mt-0.5 block max-w-56 text-xs text-muted">
          admits no new machines, because one it admitted was revoked
        </span>
      )}
    </>
  );
}

/** Whether a token still works; a `closed` one works only for machines it has already admitted. */
export function tokenState(
  { closedAt, revokedAt, expiresAt }: Pick<Token, 'closedAt' | 'revokedAt' | 'expiresAt'>,
  now: Date,
): 'valid' | 'closed' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= now.getTime()) return 'expired';
  return closedAt === null ? 'valid' : 'closed';
}
