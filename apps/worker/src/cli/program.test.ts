import { expect, it, vi } from 'vitest';
import { program } from './program';

it('counts every value of a list whose flag is repeated', async () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    const asked = ['--gpu', 'apple', '--gpu', 'amd', '--shape', '512', '--shape', '1,64,64'];
    const format = ['--format', 'json'];
    await program(new URL('file:///child.mjs')).parseAsync(['best', ...asked, ...format], {
      from: 'user',
    });
  } finally {
    vi.restoreAllMocks();
  }
  const { items } = JSON.parse(lines.join(''));
  expect(items.map(({ gpu, problem }: Row) => [gpu, problem.shape.m])).toEqual([
    ['apple', 512],
    ['amd', 512],
    ['apple', 1],
    ['amd', 1],
  ]);
});

interface Row {
  readonly gpu: string;
  readonly problem: { readonly shape: { readonly m: number } };
}
