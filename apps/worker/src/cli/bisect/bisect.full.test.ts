import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';

/** Real releases from the npm registry, which must be in reach. */
const bundle = useBundle();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-bisect-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const bisect = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const program = [bundle.main, 'bisect', ...args, '--folder', join(folder, 'releases')];
    execFile(process.execPath, program, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

it('holds two real releases against each other, each in its own process', async () => {
  const ends = ['--from', '0.4.0', '--to', '0.6.2', '--shape', '64', '--duels', '2'];
  const { code, stdout, stderr } = await bisect('matmul/tiled[TILE=8]', ...ends);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain('webgpu 0.4.0 to 0.6.2: 5 releases');
  expect(stdout).toMatch(/^0\.6\.2: \w+: \d\.\d+ times as fast as 0\.4\.0/m);
  const installed = await readdir(join(folder, 'releases'));
  expect(installed).toEqual(expect.arrayContaining(['0.4.0', '0.6.2']));
  expect(stdout).toMatch(
    /0\.6\.2 and 0\.4\.0 do not differ|The first release that is (slow|fast)er/,
  );
});

it('refuses releases that there are not, or that are in the wrong order', async () => {
  expect(await bisect('matmul/tiled', '--from', '0.6.2', '--to', '0.4.0')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--to: must be newer than --from 0.6.2'),
  });
  expect(await bisect('matmul/tiled', '--from', '0.4.0', '--to', '7.7.7')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--to: webgpu has no release 7\.7\.7\. Releases: .*0\.6\.2/),
  });
});
