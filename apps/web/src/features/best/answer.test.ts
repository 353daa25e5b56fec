import type { BestVariant } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { evidence, howFound } from './answer';

const square = (n: number): BestVariant['asked'] => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype: 'f32',
});
const found = (over: Partial<BestVariant>): string =>
  howFound({
    fallback: 'device',
    asked: square(1024),
    measured: square(1024),
    isExact: true,
    unconfirmed: false,
    devices: 1,
    ...over,
  } as BestVariant);

it('says whose results decided', () => {
  expect(found({})).toBe('Based on results from this device. The requested shape was measured.');
  expect(found({ fallback: 'vendor', devices: 3 })).toContain(
    'results from its vendor (3 devices)',
  );
});

it('says of shipped variants where they were measured, and that nothing was here', () => {
  const shipped = { device: 'Some GPU', driver: 'NVIDIA 1' } as BestVariant['shipped'];
  expect(found({ fallback: 'shipped', devices: 0, shipped })).toBe(
    'Ships with Tilemark; nothing faster has been ranked here (measured on Some GPU with driver NVIDIA 1). The requested shape was measured.',
  );
});

it('says first that the evidence is of another profile', () => {
  const prediction = { basis: 'measured', profile: 'fast', device: 'Some GPU', shapes: 9 };
  const under = (profile: 'default' | 'fast') =>
    found({ profile, prediction: prediction as BestVariant['prediction'] });
  expect(under('default')).toMatch(/^Measured under profile fast, not default, .*\. Measured here/);
  expect(under('fast')).toMatch(/^Measured here/);
});

it('says how far the nearest measured shape is, and when that is far', () => {
  expect(found({ isExact: false, measured: square(512) })).toContain(
    'nearest measured shape is 512; each of its sizes is within a factor of 2 of the requested one.',
  );
  const odd = found({ isExact: false, asked: square(1000), measured: square(2048) });
  expect(odd).toContain('within a factor of 2.1 of the requested one.');
  const third = found({ isExact: false, asked: square(49), measured: square(49 * 49) });
  expect(third).toContain('within a factor of 49 of');
  const skinny = { ...square(1000), shape: { m: 1000, n: 1000, k: 60 } } as BestVariant['asked'];
  const far = found({ isExact: false, asked: skinny, measured: square(1024) });
  expect(far).toContain('a factor of 18 of the requested one. That is far: measure before relying');
});

it('says whether the shader below was timed only where there is one below', () => {
  const rate = { value: 1, unit: 'GFLOP/s' };
  const result = { measuredAt: '2026-11-25T00:00:00.000Z', medianNs: 1, rate };
  const facts = (wgsl: string | null) =>
    evidence({
      devices: 1,
      duel: null,
      isSourceMeasured: true,
      partOfBest: 1,
      prediction: null,
      result: result as unknown as BestVariant['result'],
      shipped: null,
      wgsl,
    } as BestVariant).map(({ name }) => name);
  expect(facts('@compute fn main() {}')).toContain('Shader');
  expect(facts(null)).not.toContain('Shader');
});

it('names what has a shorter median that is not proven', () => {
  const rate = { value: 1, unit: 'GFLOP/s' };
  const result = { measuredAt: '2026-11-25T00:00:00.000Z', medianNs: 12e6, rate };
  const fact = (shorterMedian: BestVariant['shorterMedian']) =>
    evidence({ devices: 1, partOfBest: 1, result, shorterMedian } as unknown as BestVariant).find(
      ({ name }) => name === 'Shorter median, not proven',
    );
  expect(fact(null)).toBeUndefined();
  const time = { resultId: 'its-result', medianNs: 4e6, provenNs: 70e6 };
  const { value } = fact({ address: 'matmul/cpu-parallel', ...time })!;
  expect(renderToStaticMarkup(value)).toContain('href="/results/its-result"');
});
