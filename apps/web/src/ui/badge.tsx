import type { ReactNode } from 'react';

const tones = {
  neutral: 'border-line-strong text-muted',
  accent: 'border-transparent bg-accent-soft text-accent',
  amber: 'border-transparent bg-amber-soft text-amber',
  rose: 'border-transparent bg-rose-soft text-rose',
} as const;
export type Tone = keyof typeof tones;

/** A word about a thing, never the only carrier of meaning by colour. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-block rounded-tile border px-1.5 text-2xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {children}
    </span>
  );
}
