import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { holdsWithin } from '../until';

const leash = new URL('leash.mjs', import.meta.url).href;

/** A module that makes a minute of `setTimeout` last 60 ms. */
const HURRY =
  'data:text/javascript,const real = setTimeout; globalThis.setTimeout = (f, ms) => real(f, ms / 1000);';

/** A part of a grid that leaves when asked to, or not; resolves once it runs. */
async function startPart(onTerm: string) {
  const script = `process.on('SIGTERM', () => ${onTerm}); setInterval(() => {}, 1e6); process.send('up');`;
  const child = spawn(process.execPath, ['--import', HURRY, '--import', leash, '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

it.each([
  ['is asked to end', 'process.exit(7)', [7, null]],
  ['is killed when it does not end', '{}', [null, 'SIGKILL']],
])('a part whose supervisor is gone %s', async (_what, onTerm, end) => {
  const part = await startPart(onTerm);
  const ended = once(part, 'exit');
  part.disconnect();
  expect(await ended).toEqual(end);
});

/** Something that npm runs in a shell, which stays or is replaced by it; its process id. */
async function startByNpm(shell: string) {
  const program = `setInterval(() => {}, 1e6); console.log(process.pid);`;
  const args = ['--import', leash, '-e', program].map((arg) => `'${arg}'`);
  const command = `'${process.execPath}' ${args.join(' ')}${shell}`;
  const npm = `require('node:child_process').spawn(process.argv[1], { shell: '/bin/sh', stdio: 'inherit' }); setInterval(() => {}, 1e6);`;
  const parent = spawn(process.execPath, ['-e', npm, command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [told] = await once(parent.stdout, 'data');
  const pid = Number(String(told));
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return { parent, pid };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.each([
  ['in a shell that stays', 'SIGKILL', '; true'],
  ['in a shell that stays', 'SIGTERM', '; true'],
  ['in place of its shell', 'SIGKILL', ''],
] as const)('what npm runs %s ends when npm ends by %s', async (_what, signal, shell) => {
  const { parent, pid } = await startByNpm(shell);
  const other = await startByNpm(shell);
  parent.kill(signal);
  expect(await holdsWithin(60_000, async () => !isAlive(pid))).toBe(true);
  expect(isAlive(other.pid)).toBe(true);
});
