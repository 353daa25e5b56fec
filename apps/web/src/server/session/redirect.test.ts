import { expect, it } from 'vitest';
import { localPath } from './redirect';

it.each(['/', '/sweeps/new?suite=layouts&n=512', '/kernels/matmul/tiled#wgsl', '/loginish'])(
  'goes on to %s',
  (path) => {
    expect(localPath(path)).toBe(path);
  },
);

it.each([
  'https://elsewhere.example/',
  '//elsewhere.example',
  '/\\elsewhere.example',
  '\\\\elsewhere.example',
  '/\t/elsewhere.example',
  '/.//elsewhere.example',
  'javascript:alert(1)',
  'sweeps',
  '/login?next=/login',
  '/logout',
  '',
  null,
  undefined,
])('stays here for %j', (asked) => {
  expect(localPath(asked)).toBe('/');
});
