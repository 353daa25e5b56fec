import type { Token } from '@tilemark/core';
import { Action } from '@/ui/action';
import { Badge } from '@/ui/badge';
import { Ago, Moment } from '@/ui/moment';
import { TablePanel } from '@/ui/table';
import { tokenState } from './token-state';

const TONES = { valid: 'accent', closed: 'amber', expired: 'neutral', revoked: 'rose' } as const;

/** Every token, without its secret; those that are of no more use as well. */
export function TokensTable({ tokens, ownId }: { tokens: readonly Token[]; ownId: string }) {
  return (
    <TablePanel caption="Tokens">
      <thead>
        <tr>
          <th scope="col">For whom</th>
          <th scope="col">Role</th>
          <th scope="col">State</th>
          <th scope="col">Made</th>
          <th scope="col">Expires</th>
          <th scope="col">Last used</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => {
          const state = tokenState(token, new Date());
          return (
            <tr key={token.id}>
              <th scope="row">
                {token.name}
                {token.id === ownId && <span className="font-normal text-muted"> (yours)</span>}
              </th>
              <td>{token.role}</td>
              <td>
                <Badge tone={TONES[state]}>{state}</Badge>
                {state === 'closed' && (
                  <span className="mt-0.5 block max-w-56 text-xs text-muted">
                    to new machines: one that it let in was revoked
                  </span>
                )}
              </td>
              <td className="text-muted">
                <Moment date={token.createdAt} />
              </td>
              <td className="text-muted">
                {token.expiresAt ? <Moment date={token.expiresAt} /> : 'never'}
              </td>
              <td className="text-muted">
                {token.lastUsedAt ? <Ago date={token.lastUsedAt} /> : 'never'}
              </td>
              <td className="py-0!">
                {(state === 'valid' || state === 'closed') && (
                  <Action
                    url={`/api/v1/tokens/${encodeURIComponent(token.id)}`}
                    method="DELETE"
                    label={token.name}
                    question={`Revoke the token of ${token.name}? Its sessions and workers end at once.`}
                  >
                    Revoke
                  </Action>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </TablePanel>
  );
}
