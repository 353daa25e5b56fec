import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { InviteNote } from './loopback-note';

const noteOn = (origin: string) => renderToStaticMarkup(InviteNote({ origin }));

test.each([
  [
    'http://lab.example:3000',
    'Invites work over https only',
    '--from https://lab.example:8443 --to localhost:3000',
  ],
  [
    'http://localhost:4000',
    'an invite works on this machine only, to try it. Others need https.',
    '--from https://THIS-MACHINE:8443 --to localhost:4000',
  ],
])('on %s, an invite for others needs https, and the note has the command', (origin, why, part) => {
  const text = noteOn(origin).replaceAll(/<[^>]*>/g, '');
  expect(text).toContain(why);
  expect(text).toContain(part);
});

test('over https nothing is said', () => {
  expect(noteOn('https://lab.example')).toBe('');
});
