import type { Result } from '@tilemark/core';
import { Action } from '@/ui/action';
import { TextLink } from '@/ui/button';

/** Whether a result decides, and whose it is; for admins, a way to confirm one that does not. */
export function Confirmation({
  mayConfirm,
  result: { confirmedBy, resultId, tokenName, trusted },
}: {
  mayConfirm: boolean;
  result: Pick<Result, 'resultId' | 'confirmedBy' | 'tokenName' | 'trusted'>;
}) {
  const whose = tokenName ? `token ${tokenName}` : 'this grid';
  return (
    <>
      {trusted
        ? `yes: ${confirmedBy ? `confirmed by ${confirmedBy}, of` : 'of'} ${whose}`
        : `no: of ${whose}, which is not trusted`}{' '}
      (<TextLink href="/docs/measure#trust">what this means</TextLink>)
      {!trusted && mayConfirm && (
        <Action
          url={`/api/v1/results/${encodeURIComponent(resultId ?? '')}/confirm`}
          label={`result ${resultId}`}
        >
          Confirm
        </Action>
      )}
    </>
  );
}
