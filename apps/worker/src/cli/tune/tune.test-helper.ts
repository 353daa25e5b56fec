import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { useBundle } from '../../bundle.test-helper';

/** How the program ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Flags of a search that a software GPU ends within seconds. */
export const NAIVE = ['--op', 'transpose', '--shape', '64x32', '--kernel', 'transpose/naive'];

/** `tilemark tune` as bundled, for the tests of a file, in a temporary folder of its own. */
export function useTune() {
  const bundle = useBundle();
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tilemark-tune-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs the bundled program as a shell would. */
  const tune = (...args: string[]): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [bundle.main, 'tune', ...args],
        { env: { ...process.env, TMPDIR: folder } },
        (error, stdout, stderr) => {
          resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
        },
      );
    });

  return { tune, file: (name: string) => join(folder, name) };
}
