import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What `npx` gets from a grid. Below node_modules, to find `webgpu`. */

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(root, 'node_modules', '.cache-pack-'));
const target = join(folder, 'worker.tgz');
beforeAll(() => {
  const run = (script: string, ...args: string[]) =>
    execFileSync(process.execPath, [join(root, 'scripts', script), ...args]);
  run('bundle.mjs', '--outdir', join(folder, 'dist'));
  run('pack-worker.mjs', '--dist', join(folder, 'dist'), '--target', target);
  execFileSync('tar', ['xzf', target, '-C', folder]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tilemark = (...args: string[]) =>
  execFileSync(process.execPath, [join(folder, 'package', 'tilemark.mjs'), ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
  });

test('it is small, and without the database and the queue', () => {
  expect(statSync(target).size).toBeLessThan(750_000);
  const files = readdirSync(join(folder, 'package')).filter((name) => name.endsWith('.mjs'));
  const code = files.map((name) => readFileSync(join(folder, 'package', name), 'utf8')).join();
  for (const name of ['bullmq', 'ioredis', 'prisma', 'pg-pool']) {
    expect(code.toLowerCase()).not.toContain(name);
  }
});

test('its checksum lies beside it, as sha256sum reads it', () => {
  const hash = createHash('sha256').update(readFileSync(target)).digest('hex');
  expect(readFileSync(`${target}.sha256`, 'utf8')).toBe(`${hash}  worker.tgz\n`);
});

test('its help shows every command', () => {
  const help = tilemark('--help');
  for (const command of ['worker', 'bench', 'devices', 'tune', 'import', 'export', 'rerun']) {
    expect(help).toMatch(new RegExp(`^  ${command} `, 'm'));
  }
  expect(tilemark('-h')).toBe(help);
  expect(tilemark('bench', '--help')).toContain('--suite');
  expect(tilemark('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('without a command it is the worker, which asks for a grid', () => {
  for (const args of [[], ['--device', 'cpu']]) {
    expect(() => tilemark(...args)).toThrow(
      /--server: is missing: .* add --server and set TILEMARK_TOKEN/,
    );
  }
});
