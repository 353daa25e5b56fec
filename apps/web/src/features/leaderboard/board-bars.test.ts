import { expect, test } from 'vitest';
import { boardBars } from './board-bars';

test('a board shows what was measured here first, marks the rest, and leaves out ceilings and reports', () => {
  const rate = { value: 2, unit: 'GB/s' as const };
  const device = { key: 'a', name: 'A', class: 'gpu' as const };
  const by = { by: 'admin', at: '' };
  const row = (kernel: string, imported: typeof by | null, unranked: string | null = null) => ({
    address: kernel,
    variant: { kernel, tunables: {} },
    device,
    imported,
    rate,
    unranked,
  });
  const figure = (kernel: string) => ({
    by: { kind: 'kernel' as const, kernel, address: kernel },
    hardware: 'B',
    rate,
  });
  const bars = boardBars(
    [
      row('transpose/tiled', by),
      row('transpose/padded', by, 'measured with methodology 1'),
      row('transpose/naive', null),
    ],
    [
      figure('transpose/copy'),
      {
        by: { ...figure('transpose/naive').by, kind: 'report', label: 'naive' },
        hardware: null,
        rate,
      },
      figure('transpose/tiled'),
    ],
  );
  expect(bars.map(({ label, note }) => [label, note])).toEqual([
    ['A: transpose/naive', undefined],
    ['A: transpose/tiled', 'imported'],
    ['A: transpose/padded', 'imported, not ranked'],
    ['B: transpose/tiled', 'measured elsewhere'],
  ]);
});

test('what ships of a device is left out where its board has it as an imported row', () => {
  const rate = { value: 2, unit: 'GB/s' as const };
  const variant = { kernel: 'transpose/tiled', tunables: {} };
  const device = { key: 'b', name: 'B', class: 'gpu' as const };
  const imported = { by: 'admin', at: '' };
  const row = { address: 'transpose/tiled', device, imported, rate, unranked: null, variant };
  const by = { kind: 'kernel' as const, kernel: 'transpose/tiled', address: 'transpose/tiled' };
  const figures = [
    { by, hardware: 'B', rate },
    { by, hardware: 'C', rate },
  ];
  expect(boardBars([row], figures).map(({ label }) => label)).toEqual([
    'B: transpose/tiled',
    'C: transpose/tiled',
  ]);
});
