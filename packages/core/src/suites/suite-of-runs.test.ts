import { describe, expect, it } from 'vitest';
import type { PlannedRun } from '../plan/expansion';
import { expand } from '../plan/expansion';
import { suiteOfRuns } from './suite-of-runs';
import { SUITES, suiteSpec } from './suites';

const GPU = { key: 'gpu', class: 'gpu' } as const;
const CPU = { key: 'cpu', class: 'cpu' } as const;
const runsOf = (id: string, params: Record<string, number> = {}): PlannedRun[] =>
  expand(suiteSpec(id, params), [GPU, CPU]);
const devicesOf = (runs: readonly PlannedRun[]) =>
  [GPU, CPU].filter(({ key }) => runs.some(({ deviceKey }) => deviceKey === key));

describe('suiteOfRuns', () => {
  it.each(SUITES.map(({ id }) => id))('finds %s in its own runs', (id) => {
    const runs = runsOf(id);
    expect(suiteOfRuns(runs, devicesOf(runs))?.suite.id).toBe(id);
  });

  it('finds the size that a suite was run with', () => {
    const runs = runsOf('layouts', { n: 1000 });
    const found = suiteOfRuns(runs, devicesOf(runs));
    expect(found?.spec.cases).toEqual(suiteSpec('layouts', { n: 1000 }).cases);
  });

  it('finds none in a part of a suite, in runs beside one, or in no runs', () => {
    const runs = runsOf('layouts', { n: 1000 });
    expect(suiteOfRuns(runs.slice(1), [GPU])).toBeNull();
    const others = runsOf('tiled-vs-naive').filter(({ deviceKey }) => deviceKey === 'gpu');
    expect(suiteOfRuns([...runs, ...others], [GPU])).toBeNull();
    expect(suiteOfRuns([], [GPU])).toBeNull();
  });

  it('keeps the profiles and the policy that were run', () => {
    const fast = { ...suiteSpec('layouts', { n: 64 }), profiles: ['fast' as const] };
    const runs = expand({ ...fast, policy: 'smoke' }, [GPU]);
    expect(suiteOfRuns(runs, [GPU])?.spec).toMatchObject({ profiles: ['fast'], policy: 'smoke' });
  });
});
