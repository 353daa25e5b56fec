#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programArguments } from './bootstrap/dependencies.mjs';

/** `npm test` and `npm run test:full`: installs what the tests need, then runs them; see test/main.ts. */
const { status } = spawnSync(process.execPath, programArguments('test/main.ts'), {
  stdio: 'inherit',
  cwd: fileURLToPath(new URL('..', import.meta.url)),
});
process.exit(status ?? 1);
