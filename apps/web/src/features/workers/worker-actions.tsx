import type { Worker } from '@tilemark/core';
import { Action } from '@/ui/action';

/** What an admin can have a worker do. */
export function WorkerActions({ worker }: { worker: Worker }) {
  const { id, name, wanted, token, state } = worker;
  const url = `/api/v1/workers/${encodeURIComponent(id)}`;
  return (
    <span className="flex gap-2 whitespace-nowrap">
      {wanted === 'working' ? (
        <Action url={`${url}/drain`} label={name}>
          Drain
        </Action>
      ) : (
        <Action url={`${url}/resume`} label={name}>
          Resume
        </Action>
      )}
      {wanted !== 'paused' && (
        <Action url={`${url}/pause`} label={name}>
          Pause
        </Action>
      )}
      {/* One on the grid's own accounts is stopped where it runs; once lost it can be taken off. */}
      {(token !== null || state === 'lost') && (
        <Action
          url={url}
          method="DELETE"
          label={name}
          question={`Revoke ${name}? It is cut off at once, and its token lets no new machine in. Others that are in by that token stay. To come back it needs a new token.`}
        >
          Revoke
        </Action>
      )}
    </span>
  );
}
