import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Bundle {
  readonly main: string;
  readonly child: URL;
}

/** The worker as it ships, bundled for the tests of a file; below node_modules, to find `webgpu`. */
export function useBundle(): Bundle {
  const folder = join(root, 'node_modules', '.cache', `tilemark-${randomUUID()}`);
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [
      join(root, 'scripts', 'bundle.mjs'),
      '--outdir',
      folder,
    ]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return { main: join(folder, 'main.mjs'), child: pathToFileURL(join(folder, 'child.mjs')) };
}
