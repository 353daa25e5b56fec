import type { ReactNode } from 'react';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  /** What the name means, where it is not plain. */
  readonly about?: string;
}

/** The left one of a full last row has no line below it either. */
const LAST_OF_TWO = 'sm:[&:nth-last-child(2):nth-child(odd)]:border-b-0';

/** Names and values in the manner of a data sheet. */
export function Facts({ facts, columns = 1 }: { facts: readonly Fact[]; columns?: 1 | 2 | 3 }) {
  const grid = { 1: '', 2: 'sm:grid-cols-2', 3: 'sm:grid-cols-2 lg:grid-cols-3' }[columns];
  return (
    <dl className={`grid gap-x-8 px-4 py-1 text-[0.8125rem] ${grid}`}>
      {facts.map(({ name, value, about }) => (
        <div
          key={name}
          className={`flex items-baseline justify-between gap-4 border-b border-line py-1.5 last:border-b-0 ${columns === 2 ? LAST_OF_TWO : ''}`}
        >
          <dt className={about ? 'max-w-1/2 text-muted' : 'shrink-0 text-muted'}>
            {name}
            {about && <span className="block text-2xs">{about}</span>}
          </dt>
          <dd className="min-w-0 text-right break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
