import { expect, it } from 'vitest';
import { momentTick } from './moment-tick';

const written = (...moments: string[]) =>
  moments.map((each, index) => momentTick(new Date(`2026-11-${each}Z`), index));

it('writes the time of day, and the day at first and at midnight', () => {
  expect(written('25T18:00', '26T00:00', '26T06:00')).toEqual([
    '18:00\n2026-11-25 UTC',
    '2026-11-26',
    '06:00',
  ]);
  expect(written('25T13:56:30', '25T13:57')).toEqual(['13:56:30\n2026-11-25 UTC', '13:57']);
});

it('writes days alone where no tick is within one', () => {
  expect(written('25T00:00', '26T00:00')).toEqual(['2026-11-25', '2026-11-26']);
});
