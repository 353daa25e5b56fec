import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { cardNamed, equals, launchOf, listCards, lockOf, openOnCard, parseCards } from './cards';

const cardText = (at: number, name = 'NVIDIA H200') => `
GPU 00000000:0${at}:07.0
    Product Name                          : ${name}
    Product Architecture                  : Hopper
    GPU UUID                              : GPU-00${at}
    Minor Number                          : ${at}
    PCI
        Bus Id                            : 00000000:0${at}:07.0
`;
const REPORT = `==============NVSMI LOG==============
Attached GPUs                             : 3
${cardText(0)}${cardText(1)}${cardText(2, 'NVIDIA L4')}`;

/** A stand-in for the driver's tool, first on PATH. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-cards-'));
  await writeFile(join(folder, 'nvidia-smi'), `#!/bin/sh\ncat <<'TEXT'\n${REPORT}TEXT\n`);
  await chmod(join(folder, 'nvidia-smi'), 0o755);
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const second = { name: 'NVIDIA H200', busId: '0000:01:07.0', uuid: 'GPU-001', minor: 1 };

it('reads the cards that the driver lists', () => {
  expect(listCards()).toHaveLength(3);
  expect(listCards()[1]).toEqual(second);
  expect(parseCards('No devices were found\n')).toEqual([]);
});

it('finds a card by its bus id or UUID', () => {
  expect(cardNamed('0000:01:07.0')).toEqual(second);
  expect(cardNamed('GPU-001')).toEqual(second);
  expect(cardNamed('0000:09:07.0')).toBeUndefined();
});

it('tells equal cards apart, and leaves one alone as it is', () => {
  expect(equals('NVIDIA H200')).toHaveLength(2);
  expect(equals('NVIDIA L4')).toEqual([]);
  const [lone] = listCards().slice(-1);
  expect(lone && launchOf(lone).execPath).toBe(process.execPath);
});

it('shows a process its own card by the layer, or hides the equal ones', () => {
  expect(launchOf(second, true)).toEqual({
    execPath: 'env',
    execArgv: ['DRI_PRIME=pci-0000_01_07_0!', process.execPath],
  });
  vi.stubEnv('PATH', `${folder}:/nowhere`);
  expect(() => launchOf(second, false)).toThrow(/mesa-vulkan-drivers.*unshare -rm.*neither/);
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
});

it('locks each card by itself', () => {
  const paths = listCards().map(lockOf);
  expect(new Set(paths).size).toBe(paths.length);
});

it('refuses a seat whose device took no memory of its card', async () => {
  const opening = (after: number) => {
    let used = 100;
    const open = async () => {
      used = after;
      return 'open';
    };
    return openOnCard(second, open, () => used);
  };
  expect(await opening(600)).toBe('open');
  await expect(opening(100)).rejects.toThrow(/0000:01:07.0 took no memory/);
});
