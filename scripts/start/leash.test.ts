import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';

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
