import { expect, it } from 'vitest';
import { program } from './program';
import { reference } from './reference.test-helper';

// After a change: npx vitest run --project worker cli/reference -u
it('is what docs/command-line.md says', async () => {
  const text = reference(program(new URL('file:///child.mjs')));
  await expect(text).toMatchFileSnapshot('../../../../docs/command-line.md');
});
