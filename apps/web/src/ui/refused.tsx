import { TextLink } from './button';
import { Notice } from './notice';

/** Says which parts of an address were put aside, and what is shown in their place. */
export function Refused({ reasons, reset }: { reasons: readonly string[]; reset: string }) {
  if (reasons.length === 0) return null;
  return (
    <div className="mb-5">
      <Notice tone="amber" alert>
        <p className="font-medium">400: part of this address could not be understood</p>
        <ul className="mt-0.5">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
        <p className="mt-0.5">
          Defaults are shown in its place. <TextLink href={reset}>Clear the address</TextLink>
        </p>
      </Notice>
    </div>
  );
}
