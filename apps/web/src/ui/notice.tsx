import type { ReactNode } from 'react';
import { TextLink } from './button';

/** In place of content that does not exist yet: what to do next. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-tile border border-dashed border-line-strong px-6 py-10 text-center">
      <p className="font-medium">{title}</p>
      <div className="mx-auto mt-2 max-w-prose space-y-3 text-muted">{children}</div>
    </div>
  );
}

const NOTICE_TONES = {
  neutral: 'border-line-strong bg-sunken',
  amber: 'border-amber bg-amber-soft',
  rose: 'border-rose bg-rose-soft',
} as const;

/** A message about the page or a request. `alert` interrupts a screen reader. */
export function Notice({
  tone = 'neutral',
  alert = false,
  className = '',
  children,
}: {
  tone?: keyof typeof NOTICE_TONES;
  alert?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div
      role={alert ? 'alert' : undefined}
      className={`rounded-tile border-l-2 px-3 py-2 text-[0.8125rem] ${NOTICE_TONES[tone]} ${className}`}
    >
      {children}
    </div>
  );
}

/** In place of what works by scripts alone, where there are none. */
export const NeedsScript = ({ what = 'This form' }: { what?: string }) => (
  <noscript>
    <Notice tone="amber" className="mb-4">
      {`${what} needs JavaScript.`}
    </Notice>
  </noscript>
);

/** Why a request was refused; nothing where it was not. */
export function Failure({ why, ...rest }: { why: ReactNode; className?: string }) {
  return why ? (
    <Notice tone="rose" alert {...rest}>
      {why}
    </Notice>
  ) : null;
}

const BADGE_TONES = {
  neutral: 'border-line-strong text-muted',
  accent: 'border-transparent bg-accent-soft text-accent',
  amber: 'border-transparent bg-amber-soft text-amber',
  rose: 'border-transparent bg-rose-soft text-rose',
} as const;
export type Tone = keyof typeof BADGE_TONES;

/** A word about a thing; its colour never carries meaning alone. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-block rounded-tile border px-1.5 text-2xs font-medium whitespace-nowrap ${BADGE_TONES[tone]}`}
    >
      {children}
    </span>
  );
}

/** Lists the parts of an address that were ignored. */
export function Refused({
  reasons,
  reset,
  title = 'We couldn’t understand part of this address',
  instead = 'Showing defaults instead.',
}: {
  reasons: readonly string[];
  reset: string;
  title?: string;
  /** What the page shows in their place. */
  instead?: string;
}) {
  if (reasons.length === 0) return null;
  return (
    <Notice tone="amber" alert className="mb-5">
      <p className="font-medium">{title}</p>
      <ul className="mt-0.5">
        {[...new Set(reasons)].map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <p className="mt-0.5">
        {instead} <TextLink href={reset}>Clear the address</TextLink>
      </p>
    </Notice>
  );
}
