import { METHODOLOGY_VERSION } from '@tilemark/core';
import { TextLink } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { type BoardQuery, boardHref } from './query';
import type { LoadedView } from './view';

/** Says of results of an earlier version of the methodology that they are. */
export function OldMethodology({ board: { methodology }, hasOwn }: LoadedView) {
  if (methodology >= METHODOLOGY_VERSION || !hasOwn) return null;
  return (
    <Notice tone="amber" className="mt-4">
      The results of devices here were measured by methodology {methodology}, an earlier version of
      the protocol (this does not affect reference figures). They are kept as they were and never
      ranked beside results of methodology {METHODOLOGY_VERSION}.
    </Notice>
  );
}

/** The way to results of other versions of the methodology, where there are any. */
export function Methodologies({
  board: { methodologies, methodology },
  query,
}: {
  board: LoadedView['board'];
  query: BoardQuery;
}) {
  const others = methodologies.filter((version) => version !== methodology);
  if (others.length === 0) return null;
  return (
    <p className="mt-3 text-[0.8125rem] text-muted">
      {methodology === METHODOLOGY_VERSION &&
        `Only results of methodology ${methodology}, the current protocol of measuring and verifying, are ranked here. `}
      {others.map((version) => (
        <TextLink key={version} href={boardHref(query, { methodology: String(version) })}>
          Show methodology {version}
        </TextLink>
      ))}
    </p>
  );
}
