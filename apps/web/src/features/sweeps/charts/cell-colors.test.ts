import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { strengthOf, textOn } from './cell-colors';

const css = await readFile(new URL('../../../app/globals.css', import.meta.url), 'utf8');

/** The value of a colour in a scheme: a variable of the site's, or itself. */
function inScheme(color: string, scheme: 'light' | 'dark'): string {
  const [, name] = /^var\((--[\w-]+)\)$/.exec(color) ?? [];
  if (name === undefined) return color;
  const [, light = '', dark = ''] =
    new RegExp(`${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css) ?? [];
  return scheme === 'light' ? light : dark;
}

/** The relative luminance of WCAG 2. */
function luminance(channels: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = channels.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Of a colour as six hexadecimal digits. */
const channelsOf = (color: string): number[] => {
  expect(color).toMatch(/^#[0-9a-f]{6}$/);
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
};

test.each(['light', 'dark'] as const)('keeps 4.5:1 in every cell of the %s scheme', (scheme) => {
  const accent = channelsOf(inScheme('var(--accent)', scheme));
  const surface = channelsOf(inScheme('var(--surface)', scheme));
  const contrasts = Array.from({ length: 1_001 }, (_, at) => {
    const strength = strengthOf(at / 1_000);
    const fill = accent.map((value, i) => strength * value + (1 - strength) * (surface[i] ?? 0));
    const text = channelsOf(inScheme(textOn(strength), scheme));
    const [low = 0, high = 0] = [luminance(fill), luminance(text)].toSorted((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  });
  expect(contrasts.filter((contrast) => !(contrast >= 4.5))).toEqual([]);
});
