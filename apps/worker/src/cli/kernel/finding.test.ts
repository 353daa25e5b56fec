import type { Outcome } from '@tilemark/core';
import { findingOf } from '@tilemark/core/contributed';
import { describe, expect, it } from 'vitest';
import { CHECK_EXIT, exitOf, worstExit } from './finding';

const failed = (stage: 'prepare' | 'compile' | 'verify' | 'device', message: string): Outcome => ({
  kind: 'failed',
  stage,
  message,
});

describe('what an outcome says of a kernel', () => {
  it.each<[string, Outcome | null, string, number]>([
    ['a skip', { kind: 'skipped', why: 'f16' }, 'needs more than this device has', 6],
    ['a compile error', failed('compile', 'oops'), 'does not compile', 5],
    ['a stray write', failed('verify', 'the kernel wrote past the end'), 'wrong', 1],
    ['a wrong reference', failed('verify', 'the reference is wrong on this device'), 'not run', 6],
    ['a hang', failed('device', 'a dispatch did not end within 5 s'), 'too slow here', 6],
    ['a long compilation', failed('device', 'no answer for 20 s'), 'too slow here', 6],
    ['a long dispatch', failed('prepare', 'takes 2 s per dispatch'), 'too slow here', 6],
    ['no memory', failed('prepare', 'out of GPU memory'), 'needs more than this device has', 6],
    ['nothing', null, 'not run', 6],
  ])('%s', (_name, outcome, finding, exit) => {
    expect(findingOf(outcome)).toBe(finding);
    expect(exitOf(findingOf(outcome))).toBe(exit);
  });

  it('the worst of several decides, and nothing at all does not pass', () => {
    expect(worstExit([0, 4, 6, 5, 1])).toBe(CHECK_EXIT.wrong);
    expect(worstExit([0, 4, 6, 5])).toBe(CHECK_EXIT.uncompiled);
    expect(worstExit([0, 4, 6])).toBe(CHECK_EXIT.unchecked);
    expect(worstExit([0, 4])).toBe(CHECK_EXIT.slower);
    expect(worstExit([0, 0])).toBe(CHECK_EXIT.right);
    expect(worstExit([])).toBe(CHECK_EXIT.unchecked);
  });
});
