import { expect, test } from 'vitest';
import { DTYPES } from '../../problem/dtype';
import { rmsLimit } from '../../verify/precision';
import { RECORD_WORDS, valuesVerdict } from './shares';

test.each(['f32', 'f16', 'f16acc16'] as const)(
  'one share of an output may not have larger errors than rounding gives: %s',
  (dtype) => {
    const precision = { rounding: DTYPES[dtype].rounding, terms: 4096, growth: 1 };
    const [groups, share, ideal] = [3, 4096, 0.42];
    // The last share has fewer elements, which scatter more.
    const counts = [share, share, 100];
    const length = counts.reduce((sum, count) => sum + count);
    const verdict = (at: number, part: number) => {
      const records = new Float32Array(RECORD_WORDS * groups);
      for (const [group, count] of counts.entries()) {
        const rms = part * rmsLimit(precision, count, ideal);
        records[RECORD_WORDS * group + 7] = group === at ? count * rms ** 2 : 0;
        records[RECORD_WORDS * group + 8] = count * ideal ** 2;
      }
      return valuesVerdict(records.buffer, precision, { length, share, groups });
    };
    for (const at of counts.keys()) {
      expect(verdict(at, 0.99).right).toMatchObject({ worst: null, reason: null });
      const reason = expect.stringContaining('less precise than its dtype');
      expect(verdict(at, 1.01)).toMatchObject({ right: null, wrong: { beyond: 0, reason } });
    }
  },
);
