import { BY_OPERATOR } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Confirmation } from './confirmation';

test('names who agrees, and says where nobody need', () => {
  const textOf = (by: string) =>
    renderToStaticMarkup(Confirmation({ resultId: 'r', by, mayConfirm: true }));
  expect(textOf('admin Ada')).toMatch(/^yes, by admin Ada \(/);
  expect(textOf(BY_OPERATOR)).toMatch(/^not needed: the operator’s own result \(/);
});
