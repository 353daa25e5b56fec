import { outcomeReason, peakShare, type RunResult } from '@tilemark/core';
import { isCeiling, kernelOf, shortAddress } from '@tilemark/kernels';
import { rateText } from '@/ui/format';
import { shortDeviceName } from '../devices/device-name';
import { problemText } from '../sweeps/runs';
import type { Card, CardBar } from './card';
import { IMPORTED } from './origin';
import { fullBarText, peakOf } from './scale';

/**
 * A result in colour, beside the best of its device on the problem, against the device's peak. One
 * with neither has no bar: it would repeat the title. One without a rate stands alone: nothing else
 * is to be taken for what is wrong.
 */
export function resultCard(
  result: Pick<
    RunResult,
    'address' | 'device' | 'imported' | 'outcome' | 'problem' | 'profile' | 'rate' | 'resultId'
  >,
  best: Pick<RunResult, 'address' | 'imported' | 'outcome' | 'rate' | 'resultId'> | undefined,
): Card {
  const { address, device, imported, outcome, problem, profile, rate } = result;
  const where = `${problemText(problem)}, ${profile}, on ${shortDeviceName(device.name)}`;
  const about = [
    where,
    ...(isCeiling(kernelOf(address)) ? ['a copy, the ceiling of transposes'] : []),
    ...(imported ? [IMPORTED] : []),
    ...(outcome?.kind === 'measured' && outcome.measurement.unranked !== null
      ? ['not ranked']
      : []),
  ].join('; ');
  if (!rate || outcome?.kind !== 'measured') {
    const [reason] = outcomeReason(outcome)?.split('\n') ?? [];
    return {
      title: `${capitalised(outcome?.kind ?? 'pending')}: ${shortAddress(address)}`,
      about: reason ? `${about}: ${reason}` : about,
      groups: [],
      unit: '',
    };
  }
  const bars: CardBar[] = [{ label: shortAddress(address), rate: rate.value, isSubject: true }];
  if (best?.rate && best.resultId !== result.resultId) {
    const what = outcomeReason(best.outcome) === null ? 'Best ranked' : 'Best, not ranked';
    bars.push({
      label: `${what}: ${shortAddress(best.address)}`,
      rate: best.rate.value,
      note: best.imported ? 'imported' : undefined,
    });
  }
  const { cold, roof } = outcome.measurement;
  const near = peakShare({ device, problem, medianNs: cold.medianNs, roof });
  if (!near && bars.length === 1) {
    const what = `${shortAddress(address)}: ${about}`;
    return { title: rateText(rate), about: what, ...{ groups: [], unit: '' } };
  }
  return {
    title: rateText(rate),
    about: near ? `${about}. ${fullBarText(rate, near)}` : about,
    groups: [{ peak: near && peakOf(rate.value, near), bars }],
    unit: rate.unit,
  };
}

const capitalised = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
