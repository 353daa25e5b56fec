#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { programArguments } from './bootstrap/dependencies.mjs';

/** `npm start`: installs missing dependencies, then hands over to start/main.ts. */
const grid = spawn(
  process.execPath,
  programArguments('start/main.ts'),
  // If this process is killed, the grid sees the channel close and stops.
  { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] },
);
// The grid stops its parts itself; this process only waits for it to end.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => grid.kill(signal));
// biome-ignore lint/style/noProcessEnv: environment.ts is TypeScript, which nothing here reads yet
if (process.env.npm_lifecycle_event === 'start') {
  // npm passes a signal on to its shell, which ends without telling anybody.
  const { ppid } = process;
  const watch = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(watch);
    grid.kill('SIGTERM');
  }, 1_000);
}
grid.on('close', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
