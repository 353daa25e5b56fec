import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Supervisor } from './supervisor';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-supervisor-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A part that writes its process id, one line a start, and runs until it is ended. */
async function part(name: string) {
  const script = join(folder, `${name}.mjs`);
  const pids = join(folder, `${name}.pids`);
  await writeFile(
    script,
    `import { appendFileSync } from 'node:fs';
     appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n');
     setInterval(() => undefined, 1e6);`,
  );
  const started = async (count: number): Promise<number[]> => {
    for (;;) {
      const text = await readFile(pids, 'utf8').catch(() => '');
      const all = text.trim().split('\n').filter(Boolean).map(Number);
      if (all.length >= count) return all;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { part: { name, script, args: [], env: {}, cwd: folder }, started };
}

const isRunning = (pid: number | undefined): boolean => {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
};

test('a part that dies is started again, and said so; stopping ends it', async () => {
  const said: string[] = [];
  const supervisor = new Supervisor(folder, (line) => said.push(line));
  const web = await part('web');
  await supervisor.run(web.part);
  const [first] = await web.started(1);
  process.kill(first!, 'SIGKILL');
  const [, second] = await web.started(2);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(
    /web stopped \(SIGKILL\); its log: .*web\.log\. Starting it again in 1 s/,
  );
  expect(isRunning(second)).toBe(true);

  await supervisor.stop();
  expect(isRunning(second)).toBe(false);
  expect(await web.started(2)).toHaveLength(2);
});

test('a log is for the account alone that started the grid, one of an earlier release too', async () => {
  const supervisor = new Supervisor(folder, () => undefined);
  await writeFile(join(folder, 'old.log'), 'before\n');
  await chmod(join(folder, 'old.log'), 0o644);
  for (const name of ['old', 'new']) {
    const { part: started, started: isUp } = await part(name);
    await supervisor.run(started);
    await isUp(1);
    expect((await stat(join(folder, `${name}.log`))).mode & 0o777, name).toBe(0o600);
  }
  await supervisor.stop();
});

test('stopping does not wait for the delay before a restart', async () => {
  const said: string[] = [];
  const supervisor = new Supervisor(folder, (line) => said.push(line));
  const web = await part('web');
  await supervisor.run(web.part);
  process.kill((await web.started(1))[0]!, 'SIGKILL');
  while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await supervisor.stop();
  expect(await web.started(1)).toHaveLength(1);
});
