import { expect, test } from 'vitest';
import { ensureWritable } from '../services/folder';
import { shownHost } from './options';
import { StartProblem } from './terminal';

test.each([
  ['127.0.0.1', 'http://localhost:3000'],
  ['localhost', 'http://localhost:3000'],
  ['::1', 'http://[::1]:3000'],
  ['::', 'http://[::1]:3000'],
  ['fd00::7', 'http://[fd00::7]:3000'],
  ['0.0.0.0', 'http://0.0.0.0:3000'],
])('a site that listens on %s is at %s', (host, url) => {
  expect(URL.canParse(url)).toBe(true);
  expect(`http://${shownHost(host)}:3000`).toBe(url);
});

test.skipIf(process.platform !== 'linux')(
  'a folder where there can be none is refused',
  async () => {
    await expect(ensureWritable('/proc/tilemark/data')).rejects.toThrow(StartProblem);
  },
);
