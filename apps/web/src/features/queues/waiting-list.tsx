import type { Waiting } from '@tilemark/core/server';
import { Refresh } from '@/ui/live';
import { waitingText } from './waiting';

/** Where runs stand in the queue of each device; the page around it is read again while they wait. */
export function WaitingList({ waiting }: { waiting: readonly Waiting[] }) {
  return (
    <>
      <Refresh />
      <ul className="space-y-1 text-[0.8125rem]">
        {waiting.map(({ device, ...runs }) => (
          <li key={device.key}>
            {device.name}: {waitingText(runs)}
          </li>
        ))}
      </ul>
    </>
  );
}
