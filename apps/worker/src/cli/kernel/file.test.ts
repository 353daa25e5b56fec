import { access } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { newKernel } from './file';

it.each(['mine-', '-mine', 'Mine', 'm'.repeat(41)])(
  'refuses a new kernel the name %s, as its manifest would',
  async (name) => {
    const refused = newKernel(name, () => {});
    await expect(refused).rejects.toThrow('a name is 1 to 40 of a-z, 0-9 and -');
    await expect(access(`${name}.wgsl`)).rejects.toThrow();
  },
);
