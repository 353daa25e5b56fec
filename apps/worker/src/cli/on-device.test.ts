import { expect, it } from 'vitest';
import { flagOf } from './on-device';

it('finds one of several equal cards by its bus id, and everything else as it is listed', () => {
  const identity = {
    vendor: 'nvidia',
    architecture: '',
    device: 'NVIDIA H200',
    class: 'gpu' as const,
    backend: 'vulkan',
    runtime: 'dawn',
  };
  const card = { busId: '0000:01:07.0', uuid: 'GPU-001' };
  const cards = [0, 1].map((minor) => ({
    name: 'NVIDIA H200',
    busId: `0000:0${minor}:07.0`,
    uuid: `GPU-00${minor}`,
    minor,
  }));
  expect(flagOf({ flag: '1', identity, card }, cards)).toBe('0000:01:07.0');
  expect(flagOf({ flag: '1', identity, card }, cards.slice(1))).toBe('1');
  expect(flagOf({ flag: '0', identity }, [])).toBe('0');
  expect(flagOf(undefined, cards)).toBeUndefined();
});
