import { type Change, changeText, driverText } from '@tilemark/core';
import { TextLink } from '@/ui/button';
import { Moment } from '@/ui/facts';
import { Panel } from '@/ui/page';

const softwareText = ({ driver, runtime }: Change['software']): string =>
  [driverText(driver), ...(runtime ? [runtime] : [])].join(', ');

/** What new software of a device changed, newest first. */
export function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <Panel>
      <ul className="divide-y divide-line text-[0.8125rem]">
        {changes.map((change) => (
          <li key={change.id} className="flex flex-wrap gap-x-3 px-4 py-2">
            <Moment date={change.at} />
            <TextLink href={`/results/${change.id}`}>{changeText(change)}</TextLink>
            <span className="text-muted">
              {softwareText(change.software)}; before{' '}
              <TextLink href={`/results/${change.before.resultId}`}>
                {softwareText(change.before.software)}
              </TextLink>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
