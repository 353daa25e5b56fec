import { METHODOLOGY_VERSION } from '@tilemark/core';
import { TextLink } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { type BoardQuery, boardHref } from './query';
import type { LoadedView } from './view';

/** Which version of the methodology the results shown are of, where there are several or an old one. */
export function Methodologies({
  board: { methodologies, methodology },
  query,
}: {
  board: LoadedView['board'];
  query: BoardQuery;
}) {
  const others = methodologies.filter((version) => version !== methodology);
  const isOld = methodology < METHODOLOGY_VERSION;
  if (!isOld && others.length === 0) return null;
  return (
    <div className="mt-4">
      <Notice tone={isOld ? 'amber' : 'neutral'}>
        {isOld
          ? `These results were measured by methodology ${methodology}, an earlier version of the protocol. They are kept as they were and never ranked beside results of methodology ${METHODOLOGY_VERSION}. `
          : `Results of methodology ${methodology}, the current protocol of measuring and verifying. Older results stay readable, apart from these. `}
        {others.map((version) => (
          <TextLink key={version} href={boardHref(query, { methodology: String(version) })}>
            Show methodology {version}
          </TextLink>
        ))}
      </Notice>
    </div>
  );
}
