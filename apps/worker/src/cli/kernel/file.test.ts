import { access } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkKernel, kernelTemplate, readKernel } from '@tilemark/core/contributed';
import { expect, it } from 'vitest';
import { admitOfGrid, newKernel } from './file';

it.each(['mine-', '-mine', 'Mine', 'm'.repeat(41)])(
  'refuses a new kernel the name %s, as its manifest would',
  async (name) => {
    const refused = newKernel(name, 'matmul', () => {});
    await expect(refused).rejects.toThrow('a name is 1 to 40 of a-z, 0-9 and -');
    await expect(access(`${name}.wgsl`)).rejects.toThrow();
  },
);

it('takes the kernel of a grid by its id, and no other that the grid sends for it', async () => {
  const file = { author: 'ada', source: kernelTemplate('mine') };
  const other = { ...file, source: file.source.replace('One thread', 'One thread still') };
  let sent = other;
  const { kernel } = checkKernel(file);
  const grid = createServer((_, response) => {
    const { id, op, idea, runsOn, rung, dtypes, tunables } = kernel;
    const spec = { id, op, idea, runsOn, rung, dtypes, tunables };
    const rest = { address: id, dtype: 'f32', chosen: {}, broken: [], needs: null, wgsl: null };
    response.end(JSON.stringify({ ...spec, ...rest, file: sent }));
  });
  await new Promise<void>((resolve) => grid.listen(0, '127.0.0.1', resolve));
  const server = `http://127.0.0.1:${(grid.address() as AddressInfo).port}`;
  const { id } = (await readKernel(file)).kernel;
  try {
    await expect(admitOfGrid(id, {}, '--kernel')).rejects.toThrow(/add --server/);
    await expect(admitOfGrid(id, { server }, '--kernel')).rejects.toThrow(
      /sent ada\/mine@[0-9a-f]{8} instead of ada\/mine@[0-9a-f]{8}/,
    );
    sent = file;
    await admitOfGrid(id, { server }, '--kernel');
  } finally {
    grid.close();
  }
  // Known from now on.
  await admitOfGrid(id, {}, '--kernel');
});
