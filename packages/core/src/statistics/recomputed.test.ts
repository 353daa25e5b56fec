import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Series, summarise } from './summary';

const results = fileURLToPath(new URL('../../../../docs/results/', import.meta.url));
const script = fileURLToPath(new URL('../../../../examples/interval.mjs', import.meta.url));
const PARTS = ['n', 'independent', 'medianNs', 'lowNs', 'highNs'] as const;
/** Plain JavaScript, as readers run it. */
const { intervalOf, seriesIn } = (await import(script)) as {
  intervalOf: (samplesNs: readonly number[]) => Record<(typeof PARTS)[number], number>;
  seriesIn: (value: unknown, path: string[]) => { path: string; series: Series }[];
};

/** Every series of samples that ships. Older methodologies stated other intervals of them. */
const shipped: { path: string; series: Series }[] = readdirSync(results, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => seriesIn(JSON.parse(readFileSync(`${results}${name}`, 'utf8')), [name]));

test('the script of the guide finds of every series that ships what the grid does', () => {
  expect(shipped.length).toBeGreaterThan(150);
  for (const { path, series } of shipped) {
    const [own, ours] = [intervalOf(series.samplesNs), summarise(series.samplesNs)];
    for (const part of PARTS) {
      expect(own[part] / ours[part], `${path} ${part}`).toBeCloseTo(1, 12);
    }
  }
});

test('it prints what a result of this methodology states', () => {
  const file = `${results}contributed-h200-2026-11-23.json`;
  const printed = execFileSync(process.execPath, [script, file], { encoding: 'utf8' }).split('\n');
  expect(printed).toHaveLength(15);
  expect(printed.join('\n')).toContain('"medianNs":41280560,');
});
