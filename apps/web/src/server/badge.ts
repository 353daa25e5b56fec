import { outcomeReason } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { Hono } from 'hono';
import { shortDeviceName } from '@/features/devices/short-device-name';
import { formatShape, rateText } from '@/ui/format';
import { services } from './services';
import { checkAccess } from './session/access';
import { identify } from './session/principal';

const CHARACTER_WIDTH = 6.6;

/** A result as a badge for a README. */
export const badge = new Hono().get('/results/:id/badge.svg', async (c) => {
  const opened = await services();
  const { principal } = await identify(c.req.raw.headers, opened);
  checkAccess('read', principal, opened.settings.isPublic);
  const result = await opened.store.results.get(c.req.param('id'));
  if (!result?.rate) return c.text('There is no measured result with this id.', 404);
  const { device, imported, outcome, problem, rate, variant } = result;
  const name = `${variant.kernel} ${formatShape(shapeText(problem))} ${problem.dtype}`;
  const value = [
    rateText(rate),
    `on ${shortDeviceName(device.name)}`,
    ...(imported ? ['imported'] : []),
    ...(outcomeReason(outcome) === null ? [] : ['not ranked']),
  ].join(', ');
  const [left = 0, right = 0] = [name, value].map((text) => text.length * CHARACTER_WIDTH + 16);
  return c.body(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${name}: ${value}"><rect width="${left}" height="20" fill="#3c4746"/><rect x="${left}" width="${right}" height="20" fill="#00696b"/><g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">${name}</text><text x="${left + right / 2}" y="14">${value}</text></g></svg>`,
    200,
    { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=300' },
  );
});
