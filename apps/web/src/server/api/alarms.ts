import { type Alarm, alarmSchema, alarmText, pageOf } from '@tilemark/core';
import { z } from 'zod';
import { originOf } from '../session/origin';
import { idCursorQuery, noun, ok, operation } from './operation';

/** What became slower, faster or wrong. */
export const alarms = noun();

const ATOM = 'application/atom+xml';

operation(
  alarms,
  {
    id: 'listAlarms',
    method: 'get',
    path: '/alarms',
    summary:
      'Variants that became slower, faster or wrong against their own history on a device, newest first; `format=atom` for a feed reader.',
    access: 'read',
    caching: 'revalidate',
    query: idCursorQuery.extend({
      /** A device key. */
      device: z.string().min(1).max(300).optional(),
      format: z.enum(['json', 'atom']).default('json'),
    }),
    answer: { ...ok(pageOf(alarmSchema)), types: ['application/json', ATOM] },
  },
  async ({ c, query: { format, ...query }, services: { store, settings } }) => {
    const page = await store.alarms.list(query);
    if (format === 'json') return page;
    const headers = {
      'Content-Type': `${ATOM}; charset=utf-8`,
      'Cache-Control': settings.isPublic ? 'public, max-age=60' : 'private, max-age=60',
    };
    return new Response(feedOf(page.items, originOf(c.req.raw.headers), query.device), { headers });
  },
);

/** RFC 4287. */
export function feedOf(items: readonly Alarm[], origin: string, device?: string): string {
  const only = device === undefined ? '' : `&device=${encodeURIComponent(device)}`;
  const self = `${origin}/api/v1/alarms?format=atom${only}`;
  // Without an alarm nothing has happened yet.
  const updated = items[0]?.at ?? new Date(0).toISOString();
  const entries = items.map((alarm) => {
    const link = `${origin}/results/${alarm.id}`;
    return [
      '  <entry>',
      `    <id>urn:uuid:${escaped(alarm.id)}</id>`,
      `    <title>${escaped(alarmText(alarm))}</title>`,
      `    <updated>${alarm.at}</updated>`,
      `    <link href="${escaped(link)}"/>`,
      `    <category term="${alarm.kind}"/>`,
      `    <summary>${escaped(summaryOf(alarm))}</summary>`,
      '  </entry>',
    ].join('\n');
  });
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${escaped(self)}</id>`,
    '  <title>Tilemark alarms</title>',
    '  <author><name>Tilemark</name></author>',
    `  <updated>${updated}</updated>`,
    `  <link rel="self" href="${escaped(self)}"/>`,
    ...entries,
    '</feed>',
    '',
  ].join('\n');
}

function summaryOf({ profile, problem, software, softwareBefore }: Alarm): string {
  const named = ({ driver, runtime }: Alarm['software']) => [driver, runtime].join(', ');
  const before = softwareBefore && named(softwareBefore);
  const now = named(software);
  const changed = before === null || before === now ? now : `${before}, now ${now}`;
  return `${problem.op} ${Object.values(problem.shape).join(' x ')} ${problem.dtype}, profile ${profile}; ${changed}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** XML has no other control characters than these three. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
