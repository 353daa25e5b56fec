import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('occupancy.mjs', import.meta.url));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [program, ...args]);

it('refuses more workgroups than the device takes', async () => {
  const { code, stdout, stderr } = await run('--multiprocessors', '1000000').catch(
    (error) => error,
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('--multiprocessors 1000000: at most 2730 on this device');
});

// A software device has no multiprocessors: there the figures say nothing.
it('has a figure for each size of a workgroup that the device allows', async () => {
  const { stdout } = await run('--multiprocessors', '1', '--steps', '100');
  const [head, , names, , ...lines] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/, \d{4}-\d\d-\d\dT/);
  expect(names).toBe('| workgroup memory | 32 threads | 128 threads | 256 threads | 512 threads |');
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(line).toMatch(/^\| [\d.]+ KiB(?: \| \d+\.\d\d){4} \|$/);
}, 60_000);
