import { afterEach, expect, it, vi } from 'vitest';
import { siteOf } from './client';

afterEach(() => vi.restoreAllMocks());

it.each([
  ['http://grid.example:3000', true],
  ['https://grid.example', false],
  ['http://localhost:3000', false],
  ['http://127.0.0.1:3000', false],
  ['http://[::1]:3000', false],
])('a token on %s is warned of: %s', (server, isWarned) => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  siteOf({ server, token: 'tm_worker_secret' });
  const text = told.mock.calls.map(([line]) => String(line)).join('');
  expect(text.includes('is plain http')).toBe(isWarned);
  expect(text).not.toContain('secret');
  told.mockClear();
  siteOf({ server });
  expect(told).not.toHaveBeenCalled();
});
