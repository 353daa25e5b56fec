import { type Alarm, alarmText, driverText } from '@tilemark/core';
import { TextLink } from '@/ui/button';
import { Moment } from '@/ui/facts';
import { Panel } from '@/ui/page';

/** What the sentinel found on a device, newest first. */
export function Alarms({ alarms }: { alarms: readonly Alarm[] }) {
  return (
    <Panel>
      <ul className="divide-y divide-line text-[0.8125rem]">
        {alarms.map((alarm) => (
          <li key={alarm.id} className="flex flex-wrap gap-x-3 px-4 py-2">
            <Moment date={alarm.at} />
            <TextLink href={`/results/${alarm.id}`}>{alarmText(alarm)}</TextLink>
            <span className="text-muted">
              {[driverText(alarm.software.driver), alarm.software.runtime].join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
