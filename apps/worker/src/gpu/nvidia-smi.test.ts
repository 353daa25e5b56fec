import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { parseClocks, watchNvidiaClocks } from './nvidia-smi';

afterEach(() => vi.unstubAllEnvs());

const TWO = `1980, 3201, 41, 118.20, 0x0000000000000000, NVIDIA L4, [N/A]
1755, 3201, 63, 699.85, 0x0000000000000004, NVIDIA H200, 700.00
`;

it('reads the row of the GPU that is measured', () => {
  expect(parseClocks(TWO, 'NVIDIA H200')).toEqual({
    smMHz: 1755,
    memoryMHz: 3201,
    temperatureC: 63,
    powerW: 699.85,
    powerCapW: 700,
    limitedBy: ['power cap'],
  });
  const other = parseClocks(TWO, 'NVIDIA L4');
  expect(other?.limitedBy).toEqual([]);
  expect(other).not.toHaveProperty('powerCapW');
});

it('says nothing where the tool does not', () => {
  expect(parseClocks('', 'NVIDIA H200')).toBeNull();
  expect(parseClocks('[N/A], 3201, 63, [N/A], 0x0, NVIDIA H200', 'NVIDIA H200')).toBeNull();
});

it('has the last report of the tool while that goes on, and nothing once it has ended', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nvidia-smi-'));
  const tool = join(folder, 'nvidia-smi');
  await writeFile(
    tool,
    `#!/bin/sh
printf '${TWO.replaceAll('\n', '\\n')}'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  sleep 0.1
  echo '1980, 3201, 41, 118.20, 0x0000000000000000, NVIDIA L4'
  echo '1200, 3201, 88, 350.10, 0x0000000000000020, NVIDIA H200'
done
`,
  );
  await chmod(tool, 0o700);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  const read = watchNvidiaClocks({ name: 'NVIDIA H200' });
  const wait = { timeout: 60_000, interval: 20 };
  await vi.waitFor(() => expect(read()?.smMHz).toBe(1200), wait);
  expect(read()?.limitedBy).toEqual(['software thermal slowdown']);
  await vi.waitFor(() => expect(read()).toBeNull(), wait);
});
