import { deviceKey, outcomeReason, resultDetailSchema, verdict } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { withMachineLock } from '../machine-lock';
import { Runner } from '../runner';
import { Site, type SiteOptions } from '../site';
import { table } from '../table';
import { intervalText, percentText, timeText } from '../units';

export interface RerunOptions extends SiteOptions {
  /** Absent: the first adapter, or the CPU for a host kernel. */
  readonly device?: string;
}

/**
 * Measures a published result again on this machine and prints both, with the
 * verdict where the device is the same. Returns the exit code: 1 when the run
 * was incorrect or failed.
 */
export async function rerun(
  resultId: string,
  options: RerunOptions,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const site = new Site(options);
  const past = await site.get(`results/${encodeURIComponent(resultId)}`, resultDetailSchema);
  const device = options.device ?? (past.device.class === 'cpu' ? 'cpu' : 'auto');
  const runner = new Runner({ entry: childEntry, device });
  try {
    const { outcome, environment } = await withMachineLock(() => runner.run(past), {
      onWait: () => print('Waiting: something else on this machine is measuring.'),
    });
    const here = environment.device.device;
    const rows = [
      ['published', past.device.name, ...timesOf(past.outcome)],
      ['here', here, ...timesOf(outcome)],
    ];
    print(`${past.address} ${shapeText(past.problem)} ${past.problem.dtype}, ${past.profile}`);
    print(table(['', 'device', 'median', '95%', 'CV', 'remark'], rows));
    if (past.outcome?.kind === 'measured' && outcome.kind === 'measured') {
      const [before, now] = [past.outcome.measurement.cold, outcome.measurement.cold];
      const isSame = deviceKey(environment.device) === past.device.key;
      const said = isSame ? `${verdict(now, before)}: ` : '';
      print(`${said}${(before.medianNs / now.medianNs).toFixed(3)} times as fast as published`);
    }
    return outcome.kind === 'incorrect' || outcome.kind === 'failed' ? 1 : 0;
  } finally {
    await runner.close();
  }
}

function timesOf(outcome: Parameters<typeof outcomeReason>[0]): string[] {
  const remark = outcomeReason(outcome) ?? '';
  if (outcome?.kind !== 'measured') return ['', '', '', `${outcome?.kind ?? 'pending'}: ${remark}`];
  const { lowNs, medianNs, highNs, cv } = outcome.measurement.cold;
  return [timeText(medianNs), intervalText(lowNs, medianNs, highNs), percentText(cv), remark];
}
