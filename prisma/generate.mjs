/**
 * Runs `prisma generate` without its download of the schema engine, which
 * generating does not use: any executable satisfies the check, and Node is one.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
const { status, stdout, stderr, error } = spawnSync(
  process.execPath,
  [cli, 'generate', '--no-hints', '--schema', join(folder, 'schema.prisma')],
  {
    cwd: folder,
    encoding: 'utf8',
    env: {
      // biome-ignore lint/style/noProcessEnv: a script; the tool needs PATH and HOME.
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  },
);
if (status !== 0) {
  process.stderr.write(`${error?.message ?? ''}${stdout}${stderr}`);
  process.exitCode = status ?? 1;
}
