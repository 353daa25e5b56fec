import { DeviceOwner, deviceKey, type RooflineSurvey } from '@tilemark/core';
import { bytesText, DTYPES, opsUnit } from '@tilemark/kernels';
import { DeviceProcess } from '../child/device-process';
import { NO_ADAPTER } from '../device/select';
import { onDevice } from './on-device';
import { significant, table } from './table';

export interface DevicesOptions {
  /** Measure what each device with probes can do at most, under the default profile. */
  readonly roofline?: boolean;
}

/** Prints what can be measured on this machine. */
export async function devices(
  { roofline = false }: DevicesOptions,
  childEntry: URL,
  print: (text: string) => void,
): Promise<void> {
  const listed = await DeviceOwner.list(new DeviceProcess(childEntry, { kind: 'list' }));
  const isByCard = listed.some(({ card }) => card);
  const rows = listed.map(({ flag, identity, card }) => [
    flag,
    identity.device,
    identity.class,
    identity.backend,
    deviceKey(identity),
    ...(isByCard ? [card?.busId ?? '', card?.uuid ?? ''] : []),
  ]);
  const heads = ['--device', 'name', 'class', 'backend', 'key'];
  const ofCards = isByCard ? ['or by bus id', 'or by UUID'] : [];
  // A file or a pipe has all of a key, for other commands to take.
  const width = process.stdout.columns || Number.POSITIVE_INFINITY;
  print(table([...heads, ...ofCards], rows, [], { spare: ['key'], width }));
  const gpus = listed.filter(({ identity }) => identity.class !== 'cpu');
  if (gpus.length === 0) print(NO_ADAPTER);
  if (!roofline) return;
  for (const { card, flag, identity } of gpus) {
    // Never aborted: an interrupt ends this process and its child.
    const { signal } = new AbortController();
    const survey = await onDevice(card?.busId ?? flag, childEntry, print, (runner, alone) =>
      alone(() => runner.survey('default', signal)),
    );
    print(`\n${identity.device}, profile default`);
    print(survey ? rooflineText(survey) : 'no roofline: this device has no probes');
  }
}

/** Bandwidth by working set, the cache size it shows, and the peak of each dtype. */
export function rooflineText({ copies, lastLevelCacheBytes, peaks }: RooflineSurvey): string {
  const bandwidth = copies.map(({ bytes, gigabytesPerSecond }) => [
    bytesText(bytes),
    significant(gigabytesPerSecond),
  ]);
  const cache =
    lastLevelCacheBytes === null
      ? 'Last-level cache: these copies cannot tell it from memory.'
      : `Last-level cache: by these copies ${bytesText(lastLevelCacheBytes)} fit, ${bytesText(2 * lastLevelCacheBytes)} do not.`;
  const rates = peaks.map(({ dtype, gigaflopsPerSecond }) => [
    DTYPES[dtype].words,
    `${significant(gigaflopsPerSecond)} ${opsUnit(dtype)}`,
  ]);
  return [
    table(['copied working set', 'GB/s'], bandwidth, ['right', 'right']),
    cache,
    table(['multiply-adds in', 'peak'], rates, ['left', 'right']),
  ].join('\n');
}
