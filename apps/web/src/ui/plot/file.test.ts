import { expect, it } from 'vitest';
import { linesOf, permalink } from './file';

it('names the host that others reach, and no other', () => {
  const of = (url: string) => permalink(new URL(url));
  expect(of('https://grid.example/chart?device=a&profile=fast')).toBe(
    'https://grid.example/chart?device=a&profile=fast',
  );
  for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000']) {
    expect(of(`http://${host}/chart?device=a`)).toBe('tilemark/chart?device=a');
  }
});

it('breaks lines at spaces, and words that are longer anywhere, without losing a letter', () => {
  expect(linesOf('Measured 2026-11-21 on a device', 150)).toEqual([
    'Measured 2026-11-21 on',
    'a device',
  ]);
  const link = `https://grid.example/chart?device=${'x'.repeat(90)}`;
  const lines = linesOf(`Data: CC0-1.0. ${link}`, 200);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(31);
  expect(lines.join('').replaceAll(' ', '')).toBe(`Data:CC0-1.0.${link}`);
  expect(linesOf('Data: CC0-1.0. tilemark/chart?device=a&problem=matmul.512.f32', 200)).toEqual([
    'Data: CC0-1.0.',
    'tilemark/chart?device=a',
    '&problem=matmul.512.f32',
  ]);
});
