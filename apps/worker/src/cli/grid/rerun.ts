import {
  deviceKey,
  hasInterval,
  headline,
  intervalsHead,
  isBad,
  type Outcome,
  outcomeReason,
  pairContrast,
  resultDetailSchema,
  type Series,
  spreadPrior,
} from '@tilemark/core';
import { admitOfGrid } from '../kernel/file';
import { onDevice } from '../on-device';
import { percentText, problemText, seriesInterval, seriesOf, table, timeText } from '../table';
import { GridClient, type GridOptions } from './client';

export interface RerunOptions extends GridOptions {
  /** Absent: the first adapter, or the CPU for a host kernel. */
  readonly device?: string;
  /** Absent: the published result's. */
  readonly seed?: number;
}

/**
 * Measures a published result again on this machine and prints both, with a verdict
 * if the device is the same. Returns the exit code: 1 if the run was incorrect or failed.
 */
export async function rerun(
  resultId: string,
  options: RerunOptions,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const site = new GridClient(options);
  const past = await site.get(`results/${encodeURIComponent(resultId)}`, resultDetailSchema);
  await admitOfGrid(past.variant.kernel, options, 'result');
  const wanted = options.device ?? (past.device.class === 'cpu' ? 'cpu' : 'auto');
  return onDevice(wanted, childEntry, print, async (runner, alone) => {
    const { outcome, environment } = await alone(() =>
      runner.run({ ...past, ...seedOf(past.outcome, options) }),
    );
    const here = environment.device.device;
    const head = intervalsHead([past.outcome, outcome].flatMap(seriesOf));
    const rows = [
      ['published', past.device.name, ...timesOf(past.outcome, head)],
      ['here', here, ...timesOf(outcome, head)],
    ];
    print(`${past.address}, ${problemText(past.problem)}, profile ${past.profile}`);
    print(table(['', 'device', 'median', head, 'CV', 'remark'], rows));
    if (past.outcome?.kind === 'measured' && outcome.kind === 'measured') {
      const [before, now] = [past.outcome.measurement.cold, outcome.measurement.cold];
      const spread = spreadPrior(past.device.class);
      const isSame = deviceKey(environment.device) === past.device.key;
      const sideOf = (series: Series) => ({
        ...headline([series], spread),
        isRange: !hasInterval(series),
      });
      const { verdict } = pairContrast({ a: sideOf(before), b: sideOf(now) });
      const said = isSame ? `${verdict}: ` : '';
      print(`${said}${(before.medianNs / now.medianNs).toFixed(3)} times as fast as published`);
    }
    return isBad(outcome.kind) ? 1 : 0;
  });
}

/** The seed of the result, so that inputs and checks are the same. */
function seedOf(outcome: Outcome | null, { seed }: RerunOptions): { seed?: number } {
  if (seed !== undefined) return { seed };
  const published =
    outcome?.kind === 'measured' ? outcome.measurement.verification.seed : undefined;
  return published === undefined ? {} : { seed: published };
}

function timesOf(outcome: Outcome | null, head: string): string[] {
  const remark = outcomeReason(outcome) ?? '';
  if (outcome?.kind !== 'measured') return ['', '', '', `${outcome?.kind ?? 'pending'}: ${remark}`];
  const { cold } = outcome.measurement;
  return [timeText(cold.medianNs), seriesInterval(cold, head), percentText(cold.cv), remark];
}
