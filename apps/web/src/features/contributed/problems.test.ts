import { kernelTemplate } from '@tilemark/core/contributed';
import { describe, expect, it } from 'vitest';
import { problemAt, readDraft } from './problems';
import { shapesIn } from './submit';

const template = kernelTemplate('mine');
const lineOf = (text: string) => template.slice(0, template.indexOf(text)).split('\n').length;

describe('a kernel that is being written', () => {
  it('is read as it will be by the server', () => {
    expect(readDraft({ source: template })).toMatchObject({
      problems: [],
      kernel: { op: 'matmul' },
    });
    expect(readDraft({ source: '' })).toMatchObject({ kernel: null, problems: [{ line: null }] });
  });

  it('is not said to be compiled where there is no WebGPU', () => {
    expect(readDraft({ source: template }, true).compiled).toBeNull();
    expect(readDraft({ source: template }, false).compiled).toBe('This browser has no WebGPU');
    // What is wrong with it is known all the same.
    expect(readDraft({ source: '' }, false).compiled).toBe('no');
  });

  it.each([
    ['"rows": "BLOCK"', '"rows": "BLOK"', '"rows"'],
    ['"BLOCK": { "values"', '"NEVER": { "values"', '"tunables"'],
    ['"op": "matmul"', '"op": "conv"', '"op"'],
    ['read_write> C', 'read> C', 'read_write> C'],
  ])('%s -> %s is marked at its line', (before, after, at) => {
    const { problems } = readDraft({ source: template.replace(before, after) });
    expect(problems).toMatchObject([{ line: lineOf(at) }]);
  });

  it('marks no line of the source for a manifest beside it', () => {
    const draft = { source: template, manifest: '{}' };
    expect(problemAt('manifest.covers.rows', 'x', draft).line).toBeNull();
    expect(problemAt('manifest:3', 'x', draft).line).toBeNull();
    expect(problemAt('wgsl:3', 'x', draft).line).toBe(3);
  });
});

it('shapes are written out, or named as a family', () => {
  expect(shapesIn('matmul', '64, 32x16x8')).toHaveLength(2);
  expect(shapesIn('matmul', 'llm-shapes').length).toBeGreaterThan(2);
  expect(() => shapesIn('matmul', 'nothing')).toThrow(/is not a/);
});
