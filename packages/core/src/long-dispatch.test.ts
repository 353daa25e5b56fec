import { expect, it } from 'vitest';
import { longDispatch } from './long-dispatch';
import { summarise } from './stats';

it('says how long a dispatch takes where that is over 1 s', () => {
  expect(longDispatch({ cold: summarise([2.84e9, 2.85e9, 2.86e9]) })).toContain('2.9 s (over 1 s)');
  expect(longDispatch({ cold: summarise([1e9, 1e9, 1e9]) })).toBeNull();
});
