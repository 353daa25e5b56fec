#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  dependenciesInstalled,
  generateClient,
  installDependencies,
  requireNode,
} from './bootstrap/dependencies.mjs';

/** `npm start`: installs dependencies where they are missing, then hands over to start/main.ts. */

requireNode();
const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (!dependenciesInstalled(root)) {
  console.log('  Installing dependencies (about a minute, once) ...');
  installDependencies(root);
}

generateClient(root);

const grid = spawn(
  process.execPath,
  [
    '--import',
    new URL('./bootstrap/typescript.mjs', import.meta.url).href,
    join(root, 'scripts', 'start', 'main.ts'),
    ...process.argv.slice(2),
  ],
  // Where this process is killed, the grid sees the channel close and stops.
  { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] },
);
// The grid stops its parts itself; this process only waits for it to end.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => grid.kill(signal));
grid.on('close', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
