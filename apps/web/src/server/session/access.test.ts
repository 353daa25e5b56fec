import { describe, expect, it } from 'vitest';
import { checkAccess, checkOwner } from './access';

const principal = (role: 'member' | 'admin' | 'worker', name = `${role}`) => ({
  tokenId: 't',
  name,
  role,
});
const refusal = (status: number) => expect.objectContaining({ status });

describe('checkAccess', () => {
  it('lets everyone read a public grid, and only tokens a private one', () => {
    expect(() => checkAccess('read', null, true)).not.toThrow();
    expect(() => checkAccess('read', null, false)).toThrow(refusal(401));
    expect(() => checkAccess('read', principal('worker'), false)).not.toThrow();
    expect(() => checkAccess('open', null, false)).not.toThrow();
  });

  it.each([
    ['submit', 'worker'],
    ['work', 'member'],
    ['admin', 'member'],
    ['admin', 'worker'],
  ] as const)('keeps %s from a %s', (access, role) => {
    expect(() => checkAccess(access, principal(role), true)).toThrow(refusal(403));
  });

  it.each(['submit', 'work', 'admin'] as const)('%s takes a token, and an admin may', (access) => {
    expect(() => checkAccess(access, null, true)).toThrow(refusal(401));
    expect(() => checkAccess(access, principal('admin'), true)).not.toThrow();
  });
});

it('lets members act on what their token made, whatever it is called', () => {
  const member = principal('member', 'Ada');
  const by = (createdById: string | null) => ({ createdBy: 'Ada', createdById });
  expect(() => checkOwner(member, by(member.tokenId))).not.toThrow();
  expect(() => checkOwner(member, by('another'))).toThrow(refusal(403));
  expect(() => checkOwner(member, by(null))).toThrow(refusal(403));
  expect(() => checkOwner(principal('admin'), by('another'))).not.toThrow();
});
