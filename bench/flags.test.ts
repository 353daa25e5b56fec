import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** The programs read their flags before anything else: none of these starts to measure. */
const run = (program: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [
    fileURLToPath(new URL(program, import.meta.url)),
    ...args,
  ]).catch((error) => error);

const PROGRAMS = ['side-by-side.mjs', 'retune.mjs', 'screen.mjs', 'occupancy.mjs'];

it.each(PROGRAMS)('%s tells how it is used', async (program) => {
  const { stdout, stderr } = await run(program, '--help');
  expect(stdout).toMatch(new RegExp(`^usage: node bench/${program} \\[--`));
  expect(stderr).toBe('');
});

it.each(PROGRAMS)('%s refuses a flag that it does not know', async (program) => {
  const { code, stdout, stderr } = await run(program, '--no-such', '1');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Unknown option '--no-such'/);
  expect(stderr).toContain(`\nusage: node bench/${program} `);
  expect(stderr).not.toContain('    at ');
});

it.each([
  ['side-by-side.mjs', '--rounds', '0'],
  ['side-by-side.mjs', '--largest', 'big'],
  ['retune.mjs', '--largest', '-1'],
  ['screen.mjs', '--largest', ''],
  ['occupancy.mjs', '--multiprocessors', '1.5'],
])('%s refuses %s %s', async (program, flag, text) => {
  const { code, stdout, stderr } = await run(program, `${flag}=${text}`);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(`${flag} ${text}: give a whole number above 0\n`);
});
