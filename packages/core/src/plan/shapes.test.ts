import { type OpId, shapeText } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { parseShapes } from './shapes';

const texts = (text: string, op: OpId = 'matmul') =>
  parseShapes(op, text).map((shape) => shapeText({ op, shape } as Parameters<typeof shapeText>[0]));

describe('parseShapes', () => {
  it.each([
    ['512', ['512']],
    [' 512, 256x128×64 ;16 32', ['512', '256x128x64', '16', '32']],
    ['256..4096 x2', ['256', '512', '1024', '2048', '4096']],
    ['256..4096 ×4', ['256', '1024', '4096']],
    ['256..1024', ['256', '512', '1024']],
    ['256..1000*2', ['256', '512']],
    ['256..1024 +256, 7', ['256', '512', '768', '1024', '7']],
    ['256..1024x64x32', ['256x64x32', '512x64x32', '1024x64x32']],
    ['64x128..256x32', ['64x128x32', '64x256x32']],
    ['1..4 x2, 2, 3', ['1', '2', '4', '3']],
    ['8x64x64x32, 1x64x64x64', ['8x64x64x32', '64']],
    ['1..4x64x64x64', ['64', '2x64x64x64', '4x64x64x64']],
    ['1,4096,11008 512, 8 * 16*32', ['1x4096x11008', '512', '8x16x32']],
    ['m=1 n=4096 k=64 m=8 n=16 k=32', ['1x4096x64', '8x16x32']],
    ['16,17,1024,1025', ['16', '17', '1024', '1025']],
  ])('%s', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it('reads a transpose’s two dimensions', () => {
    expect(texts('256..512x64, 96x128', 'transpose')).toEqual(['256x64', '512x64', '96x128']);
  });

  it.each([
    '0',
    '-1',
    '1.5',
    '99999999',
    '512x512',
    '2x2x2x2x2',
    'abc',
    '256..',
    '512..256',
    '256..512 x1',
    '256..512+0',
    '1..65536+1',
    '1..10+1x1..10+1x1',
  ])('refuses %s, naming the field', (text) => {
    expect(() => parseShapes('matmul', text, 'cases[0].shapes')).toThrow(
      expect.objectContaining({ field: 'cases[0].shapes' }),
    );
  });

  it('refuses ranges of millions of shapes before it lists them', () => {
    const range = '1..65+1';
    const text = Array.from({ length: 50 }, () => [range, range, range, range].join('x')).join(' ');
    expect(() => parseShapes('matmul', text)).toThrow(
      'has 17850625 shapes; a case takes at most 64',
    );
  });

  it.each([
    ['1..20000000', '20000000'],
    ['0..64 x4', '0'],
    ['12xfoo', 'foo'],
  ])('names what is wrong with %s as it was typed: %s', (text, fault) => {
    expect(() => parseShapes('matmul', text)).toThrow(`'${fault}' is not a size`);
  });
});
