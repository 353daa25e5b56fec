import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { holdsWithin } from '../../../../scripts/until';
import { useBundle } from '../bundle.test-helper';

const bundle = useBundle();

it.runIf(existsSync('/proc/self/task'))(
  'a child ends when its parent is killed, in the middle of a kernel that hears of nothing too',
  async () => {
    const args = ['bench', '--device', 'cpu', '--kernel', 'matmul/cpu-naive', '--shape', '2048'];
    const parent = spawn(process.execPath, [bundle.main, ...args], { stdio: 'ignore' });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const proc = (pid: number, file: string) =>
      readFile(`/proc/${pid}/task/${pid}/${file}`, 'utf8').catch(() => '');
    let child = 0;
    onTestFinished(() => {
      if (child > 0 && existsSync(`/proc/${child}`)) process.kill(child, 'SIGKILL');
    });
    const isMeasuring = async () => {
      child = Number((await proc(parent.pid ?? 0, 'children')).trim());
      // Of its first thread, in hundredths of a second: to start takes less.
      const [, ticks = ''] = /\) (?:\S+ ){11}(\d+)/.exec(await proc(child, 'stat')) ?? [];
      return Number(ticks) > 400;
    };
    expect(await holdsWithin(90_000, isMeasuring)).toBe(true);
    parent.kill('SIGKILL');
    const hasEnded = async () => (await proc(child, 'stat')) === '';
    expect(await holdsWithin(30_000, hasEnded)).toBe(true);
  },
);
