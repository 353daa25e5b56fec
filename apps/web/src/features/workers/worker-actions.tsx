import type { Worker } from '@tilemark/core';
import { Action } from '@/ui/action';

/** What an admin can have a worker do. */
export function WorkerActions({ worker }: { worker: Worker }) {
  const { id, name, wanted } = worker;
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
      <Action
        url={url}
        method="DELETE"
        label={name}
        question={`Revoke ${name}? Its accounts end at once, and it needs a new token to come back.`}
      >
        Revoke
      </Action>
    </span>
  );
}
