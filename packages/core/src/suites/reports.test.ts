import { shapeText } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { publishedSchema } from '../api/api';
import { expand } from '../plan/expansion';
import { capabilities } from '../server/store/fixtures.test-helper';
import { allPublished, publishedOfSuite, suiteSpec } from './suites';

const DEVICES = [
  { key: 'gpu', class: 'gpu', capabilities },
  { key: 'cpu', class: 'cpu', capabilities },
] as const;

/** The suite's parameters at the sizes of the reports. */
const PARAMS: Readonly<Record<string, Record<string, number>[]>> = {
  'host-vs-device': [{ n: 2048 }, { n: 4096 }],
};

describe.each(allPublished().map((table) => [table.suite, table] as const))('%s', (id, table) => {
  it('is what the API describes', () => {
    expect(publishedSchema.parse(table)).toEqual(table);
  });

  it('contains figures of runs of its suite, at the sizes of the report', () => {
    const runs = (PARAMS[id] ?? [{}]).flatMap((params) => expand(suiteSpec(id, params), DEVICES));
    const keys = new Set(
      runs.map(({ address, problem }) => `${address} ${shapeText(problem)} ${problem.dtype}`),
    );
    const strangers = table.results.filter(
      ({ address, problem }) => !keys.has(`${address} ${shapeText(problem)} ${problem.dtype}`),
    );
    expect(strangers).toEqual([]);
  });

  it('has each figure once', () => {
    const figures = table.results.map(({ label, address, problem }) =>
      [label, address, shapeText(problem)].join(' '),
    );
    expect(new Set(figures).size).toBe(figures.length);
  });
});

describe('published figures', () => {
  it('are all 96 of the five reports, one of which has none', () => {
    expect(allPublished().flatMap(({ results }) => results)).toHaveLength(96);
    expect(new Set(allPublished().map(({ source }) => source.id)).size).toBe(5);
    expect(publishedOfSuite('tiling-ladder')?.results).toEqual([]);
  });

  it('include the transfers of the one report that prints them', () => {
    const transfers = allPublished().flatMap(({ suite, transfers }) =>
      transfers.map((each) => [suite, shapeText(each.problem), each.deviceToHostMs]),
    );
    expect(transfers).toEqual([
      ['host-vs-device', '2048', 2.9613],
      ['host-vs-device', '4096', 10.7331],
    ]);
  });

  it('are found by the suite, with or without its version', () => {
    expect(publishedOfSuite('layouts')).toEqual(publishedOfSuite('layouts@1'));
    expect(publishedOfSuite('layouts')?.hardware.gpu).toBe('NVIDIA GeForce RTX 3080');
    expect(publishedOfSuite('starter')).toBeNull();
    expect(publishedOfSuite('nope')).toBeNull();
  });

  it('have rates counted as ours: bytes once in and once out, two operations per multiply-add', () => {
    const [cc] = publishedOfSuite('layouts')?.results.slice(-1) ?? [];
    expect(cc?.rate.value).toBeCloseTo((2 * 8192 ** 3) / (788.8635 * 1e6), 9);
    const [naive] = publishedOfSuite('transpose-ladder')?.results ?? [];
    expect(naive?.rate).toEqual({ value: (8 * 3072 * 4096) / 0.172e6, unit: 'GB/s' });
    const counted = allPublished().filter(({ bytesPerElement }) => bytesPerElement !== null);
    expect(counted.map(({ bytesPerElement, suite }) => [suite, bytesPerElement])).toEqual([
      ['transpose-ladder', 16],
    ]);
  });

  it('show the finding that the layouts suite is about: A by column halves the time', () => {
    const time = (label: string) =>
      publishedOfSuite('layouts')?.results.find((figure) => figure.label === label)?.timeMs ?? 0;
    expect(time('RR') / time('CR')).toBeCloseTo(1.88, 2);
  });
});
