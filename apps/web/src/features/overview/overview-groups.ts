import { cutTo } from '@/ui/format';
import { shortDeviceName } from '../devices/device-name';
import type { CardGroup } from '../results/card';
import { ELSEWHERE } from '../results/origin';
import type { PictureRow } from './picture-rows';

/** As many names of devices and bars beneath them as a card has room for. */
const MOST_LINES = 10;

/** As many letters of a device as fit beside its shape and its peak. */
const LONGEST_NAME = 32;

/**
 * The rows of the first screen, as it draws them, and libraries in the room that they leave. Devices
 * without a library tell least: the last of them go where there would be no room.
 */
export function overviewGroups(rows: readonly PictureRow[]): CardGroup[] {
  const shown = [...rows];
  const least = () => shown.findLastIndex(({ libraries }) => libraries.length === 0);
  if (rows.some(({ libraries }) => libraries.length > 0)) {
    while (2 * shown.length >= MOST_LINES && least() >= 0) shown.splice(least(), 1);
  }
  let room = MOST_LINES - 2 * shown.length;
  return shown.map(({ href, imported, isCpu, kernel, libraries, name, peak, rate, shape }) => {
    const beside = libraries.slice(0, room);
    room -= beside.length;
    const origin = href === null ? [ELSEWHERE] : imported ? ['imported'] : [];
    return {
      name: [cutTo(LONGEST_NAME, shortDeviceName(name)), ...origin, `at ${shape}`].join(', '),
      peak,
      bars: [
        { label: kernel, rate, isSubject: true, note: isCpu ? 'TypeScript, not WGSL' : undefined },
        ...beside.map((library) => ({
          label: library.name,
          rate: library.rate,
          note: href === null ? undefined : ELSEWHERE,
        })),
      ],
    };
  });
}
