import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Confirmation } from './confirmation';

const textOf = (over: object) =>
  renderToStaticMarkup(
    Confirmation({ mayConfirm: false, result: { resultId: 'r', trusted: true, ...over } }),
  );

test('says whether it decides, whose it is, and who confirmed it', () => {
  expect(textOf({})).toMatch(/^yes: of this grid \(/);
  expect(textOf({ tokenName: 'lab', trusted: false })).toMatch(/^no: of token lab, which is not/);
  expect(textOf({ tokenName: 'lab', confirmedBy: 'Ada' })).toMatch(
    /^yes: confirmed by Ada, of token lab/,
  );
});
