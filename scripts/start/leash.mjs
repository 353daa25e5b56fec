import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Loaded before a program that ends with whoever started it: the grid's Node processes with the
 * supervisor, whose channel closes, and what `npx` runs with npm, which says nothing when it is killed.
 * A process that does not end when asked to is killed, as the supervisor does.
 */
const KILL_AFTER_MS = 40_000;
const LOOK_EVERY_MS = 1_000;

const end = () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), KILL_AFTER_MS).unref();
};

process.on('disconnect', end);
process.channel?.unref();

if (!process.channel) {
  const { ppid } = process;
  // Some shells stay between npm and what it runs, and outlive it.
  const [name, grandparent] = nameAndParent(ppid);
  const watched = /sh$/.test(name) ? [ppid, Number(grandparent)] : [ppid];
  const looking = setInterval(() => {
    if (process.ppid === ppid && watched.every(isAlive)) return;
    clearInterval(looking);
    end();
  }, LOOK_EVERY_MS).unref();
}

/** Empty where the system tells neither way. */
function nameAndParent(pid) {
  try {
    return /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')).slice(1);
  } catch {}
  try {
    const told = execFileSync('ps', ['-o', 'comm=,ppid=', '-p', String(pid)], { encoding: 'utf8' });
    return /(\S+)\s+(\d+)\s*$/.exec(told).slice(1);
  } catch {
    return ['', ''];
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
