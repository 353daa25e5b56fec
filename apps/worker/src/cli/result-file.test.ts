import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ResultFile } from './result-file';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-result-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('leaves what is there until something is written, and nothing beside it', async () => {
  const path = join(folder, 'out.json');
  await writeFile(path, 'before');
  const file = await ResultFile.at(path, '--json');
  expect(await readFile(path, 'utf8')).toBe('before');
  await file.write('first');
  await file.write('second');
  expect(await readFile(path, 'utf8')).toBe('second');
  expect(await readdir(folder)).toEqual(['out.json']);
});

it('writes through a link', async () => {
  await writeFile(join(folder, 'target'), '');
  await symlink(join(folder, 'target'), join(folder, 'link'));
  await (await ResultFile.at(join(folder, 'link'), '--json')).write('text');
  expect(await readFile(join(folder, 'target'), 'utf8')).toBe('text');
});

it.each([
  ['a folder that is not there', () => join(folder, 'none', 'out.json')],
  ['a folder', () => folder],
  ['a device', () => '/dev/null'],
])('refuses %s, naming the flag', async (_what, path) => {
  await expect(ResultFile.at(path(), '--json')).rejects.toMatchObject({
    name: 'InputError',
    field: '--json',
    message: expect.stringContaining(path()),
  });
});
