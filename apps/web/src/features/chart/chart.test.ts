import type { Device, Leaderboard, LeaderboardRow } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { parseProblem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { parseQuery } from '@/ui/query';
import { barsOf, factsOf } from './device-bars';
import { chartOf } from './panels';
import { chartQuery, chartQuerySchema, problemKey, problemOf } from './query';

const device = (key: string) =>
  ({ key, name: key.toUpperCase(), class: 'gpu', runtime: 'dawn' }) as Device;
const problem = (shape: string, dtype = 'f32', op = 'matmul') => parseProblem({ op, shape, dtype });

function row(key: string, value: number, over: Partial<LeaderboardRow> = {}): LeaderboardRow {
  const times = { medianNs: 100, lowNs: 80, highNs: 125, invocations: 1, isRange: false };
  return {
    ...times,
    ...{
      device: device(key),
      rank: 1,
      rate: { value, unit: 'GFLOP/s' },
      driver: `driver of ${key}`,
    },
    measuredAt: '2026-11-21T12:00:00.000Z',
    ...over,
  } as LeaderboardRow;
}

it('takes a ninth device and an unknown problem for what they are, in a sentence each', () => {
  const keys = 'abcdefghi'.split('');
  expect(parseQuery(chartQuerySchema, { device: keys }).refused.join()).toContain(
    'A figure has 8 devices at most',
  );
  const { query, refused } = parseQuery(chartQuerySchema, { device: keys.slice(0, 8) });
  expect([query.device, refused]).toEqual([keys.slice(0, 8), []]);
  expect(problemOf('matmul.2x2.f32')).toBeUndefined();
  expect(problemOf(problemKey(problem('64x32x16', 'f16')))).toEqual(problem('64x32x16', 'f16'));
  expect(chartQuery([problem('64'), problem('8')], 'fast')).toBe(
    'problem=matmul.64.f32&problem=matmul.8.f32&profile=fast',
  );
});

it('draws what shares a unit, and says what it leaves out', async () => {
  const counted = [problem('64'), problem('128', 'f16'), problem('64', 'f32', 'transpose')];
  const store = {
    devices: { get: async (key: string) => (key === 'none' ? null : device(key)) },
    problemsOn: async () =>
      counted.map((problem) => ({ problem, devices: 1, gpus: 1, rankedDevices: 1, rankedGpus: 1 })),
    leaderboard: async () => ({ rows: [row('a', 5), row('z', 9)] }) as Leaderboard,
  } as unknown as Store;
  const of = (problems: string[]) =>
    chartOf(store, { device: ['a', 'none'], problem: problems, profile: 'default' });
  const { devices, others, panels, refused } = await of(['matmul.64.f32', 'transpose.64.f32', 'x']);
  expect(devices.map(({ key }) => key)).toEqual(['a']);
  expect(panels).toEqual([{ problem: problem('64'), rows: [row('a', 5)] }]);
  expect(others).toEqual([problem('128', 'f16')]);
  expect(refused).toEqual([
    'There is no device “none”.',
    'transpose 64 f32 is counted in GB/s: a figure has one unit.',
    'There is no problem “x”.',
  ]);
  // Without a problem: one of those that most have.
  expect((await of([])).panels).toHaveLength(1);
});

it('has a bar of each device in each panel, in one order, with its interval', () => {
  const panels = [
    { problem: problem('64'), rows: [row('b', 50), row('a', 40, { isRange: true, rank: null })] },
    { problem: problem('64', 'f16'), rows: [row('a', 90)] },
  ];
  const bars = barsOf([device('a'), device('b')], panels);
  expect(bars).toEqual([
    { key: 'b', label: 'B', rate: 50, ends: [40, 62.5], isLit: true, panel: 'matmul 64 f32' },
    {
      key: 'a',
      label: 'A (range)',
      rate: 40,
      ends: [32, 50],
      isLit: false,
      panel: 'matmul 64 f32',
    },
    { key: 'b', label: 'B (not measured)', rate: null, isLit: false, panel: 'matmul 64 f16' },
    { key: 'a', label: 'A', rate: 90, ends: [72, 112.5], isLit: true, panel: 'matmul 64 f16' },
  ]);
});

it('tells drivers and days of measuring, and nothing of a device that measured nothing', () => {
  const later = { measuredAt: '2026-11-23T12:00:00.000Z' };
  const panels = [
    {
      problem: problem('64'),
      rows: [row('a', 4), row('a', 5, later), row('b', 1, { driver: '' })],
    },
  ];
  expect(factsOf(['a', 'b', 'c'].map(device), panels)).toEqual([
    'A: driver of a, measured 2026-11-21 to 2026-11-23',
    'B: driver unknown, measured 2026-11-21',
  ]);
});
