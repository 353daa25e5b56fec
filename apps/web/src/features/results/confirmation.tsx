import { BY_OPERATOR } from '@tilemark/core';
import { Action } from '@/ui/action';
import { TextLink } from '@/ui/button';

/** The word for a ranked result that nobody else has measured, and what it means. */
export function UnconfirmedMark() {
  return (
    <span className="font-normal text-xs text-amber">
      <TextLink href="/docs/measure#unconfirmed">unconfirmed</TextLink>
      <span className="sr-only">: no second machine of the model and no admin agrees yet</span>
    </span>
  );
}

/** Who agrees with a ranked result; for admins, a way to agree where nobody does. */
export function Confirmation({
  resultId,
  by,
  mayConfirm,
}: {
  resultId: string;
  by: string | null;
  mayConfirm: boolean;
}) {
  if (by) {
    return (
      <>
        {by === BY_OPERATOR ? 'not needed: the operator’s own result' : `yes, by ${by}`} (
        <TextLink href="/docs/measure#unconfirmed">what this means</TextLink>)
      </>
    );
  }
  return (
    <div className="space-y-2">
      <p>
        <UnconfirmedMark />{' '}
        <span className="text-xs text-muted">
          until a machine of the same model that another token attached comes within 2%, or an admin
          confirms it
        </span>
      </p>
      {mayConfirm && (
        <Action
          url={`/api/v1/results/${encodeURIComponent(resultId)}/confirm`}
          label={`result ${resultId}`}
        >
          Confirm
        </Action>
      )}
    </div>
  );
}
