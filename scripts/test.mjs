#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  dependenciesInstalled,
  generateClient,
  installDependencies,
  requireNode,
} from './bootstrap/dependencies.mjs';

/** `npm test`: brings what the tests need, then runs every check; see test/main.ts. */

requireNode();
const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (!dependenciesInstalled(root)) {
  console.log('Installing dependencies ...');
  installDependencies(root);
}
generateClient(root);
const { status } = spawnSync(
  process.execPath,
  [
    '--import',
    new URL('./bootstrap/typescript.mjs', import.meta.url).href,
    join(root, 'scripts', 'test', 'main.ts'),
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', cwd: root },
);
process.exit(status ?? 1);
