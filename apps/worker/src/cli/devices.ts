import { DeviceOwner, deviceKey, type ListedDevice, type RooflineSurvey } from '@tilemark/core';
import { bytesText, DTYPES, opsUnit } from '@tilemark/kernels';
import { DeviceProcess } from '../child/device-process';
import { Runner } from '../child/runner';
import { NO_ADAPTER } from '../device/select';
import { equals, listCards } from '../gpu/cards';
import { withMachineLock } from '../run/machine-lock';
import { WAITING } from './progress';
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
  print(table([...heads, ...ofCards], rows, [], { spare: ['key'] }));
  const gpus = listed.filter(({ identity }) => identity.class !== 'cpu');
  if (gpus.length === 0) print(NO_ADAPTER);
  if (!roofline) return;
  for (const { card, flag, identity } of gpus) {
    const survey = await surveyOf(card?.busId ?? flag, childEntry, print);
    print(`\n${identity.device}, profile default`);
    print(survey ? rooflineText(survey) : 'no roofline: this device has no probes');
  }
}

/** One of several equal cards is found by its bus id alone. */
export const flagOf = (
  listed: ListedDevice | undefined,
  cards = listCards(),
): string | undefined =>
  listed?.card && equals(listed.identity.device, cards).length > 0
    ? listed.card.busId
    : listed?.flag;

/** A `--device` that says which process to start: of an index on a host with several cards, the bus id. */
export async function toldApart(device: string, childEntry: URL): Promise<string> {
  if (!/^\d+$/.test(device) || listCards().length < 2) return device;
  const listed = await DeviceOwner.list(new DeviceProcess(childEntry, { kind: 'list' }));
  return flagOf(listed[Number(device)]) ?? device;
}

async function surveyOf(
  device: string,
  childEntry: URL,
  print: (text: string) => void,
): Promise<RooflineSurvey | null> {
  const runner = new Runner({ entry: childEntry, device });
  try {
    // Never aborted: an interrupt ends this process and its child.
    const { signal } = new AbortController();
    return await withMachineLock(() => runner.survey('default', signal), {
      onWait: () => print(WAITING),
    });
  } finally {
    await runner.close();
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
