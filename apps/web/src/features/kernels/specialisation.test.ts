import { readFileSync } from 'node:fs';
import { type GpuKernel, KERNELS, kernelsOf, resolveVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { changedBy, paragraphOf } from './specialisation';

const of = (id: string) => {
  const { definition, tunables } = resolveVariant(id, {});
  return paragraphOf(definition as GpuKernel, tunables, 'f32');
};

it('is the first paragraph of the file’s heading', () => {
  expect(of('matmul/tiled')).toMatch(/^A workgroup computes one TILE x TILE block.* TILE uses\.$/);
  expect(of('transpose/multi-row')).toMatch(/^The padded tile moved by fewer threads/);
});

it('is a sentence of its own for every kernel that has one', () => {
  for (const kernel of KERNELS) {
    if (kernel.runsOn !== 'gpu') continue;
    const text = of(kernel.id);
    if (text !== null) expect(text, kernel.id).toMatch(/^[A-Z].*\.$/);
  }
});

it.each(['matmul', 'transpose'] as const)('compares rungs of %s as the README does', (op) => {
  const path = `../../../../../packages/kernels/src/${op}/README.md`;
  const readme = readFileSync(new URL(path, import.meta.url), 'utf8');
  const told = [...readme.matchAll(/^(?:## |\*\*)(\d+) → (\d+): /gm)].map(([, from, to]) => [
    Number(to),
    Number(from),
  ]);
  const ladder = kernelsOf(op).filter(({ runsOn }) => runsOn === 'gpu');
  const shown = ladder.flatMap((kernel) => {
    const changed = changedBy(kernel, ladder);
    return changed ? [[kernel.rung, changed.rung]] : [];
  });
  const byRung = ([a = 0]: number[], [b = 0]: number[]) => a - b;
  expect(told.length).toBeGreaterThan(4);
  expect(shown.toSorted(byRung)).toEqual(told.toSorted(byRung));
});
