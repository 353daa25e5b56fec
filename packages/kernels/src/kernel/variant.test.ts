import { describe, expect, test } from 'vitest';
import { InputError } from '../errors';
import { kernelOf, parseVariant, resolveVariant, shortAddress, variantAddress } from './variant';

function failure(act: () => unknown): InputError {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('expected an InputError');
}

describe('the address of a variant', () => {
  test('names every tunable in declaration order, defaults filled', () => {
    const address = variantAddress({ kernel: 'matmul/naive', tunables: { MAPPING: 'row-x' } });
    expect(address).toBe('matmul/naive[BLOCK=16,MAPPING=row-x]');
  });

  test('has no brackets where nothing can be tuned', () => {
    expect(variantAddress({ kernel: 'matmul/cpu-naive', tunables: {} })).toBe('matmul/cpu-naive');
  });

  test('is read back to the same variant, whatever the order written', () => {
    const { tunables, address } = parseVariant('matmul/naive[MAPPING=row-x, BLOCK=8]');
    expect(tunables).toEqual({ BLOCK: 8, MAPPING: 'row-x' });
    expect(address).toBe('matmul/naive[BLOCK=8,MAPPING=row-x]');
    expect(parseVariant(address).tunables).toEqual(tunables);
  });

  test('is shorter without defaults, and still of the same variant', () => {
    const address = variantAddress({ kernel: 'matmul/naive', tunables: { BLOCK: 8 } });
    expect(shortAddress(address)).toBe('matmul/naive[BLOCK=8]');
    expect(parseVariant(shortAddress(address)).address).toBe(address);
    expect(shortAddress(variantAddress({ kernel: 'matmul/naive', tunables: {} }))).toBe(
      'matmul/naive',
    );
    expect(shortAddress('matmul/gone[X=1]')).toBe('matmul/gone[X=1]');
    expect(kernelOf('matmul/gone[X=1]')).toBe('matmul/gone');
    expect(kernelOf('no address [')).toBe('no address [');
  });
});

describe('what does not exist is named with what does', () => {
  test('a kernel', () => {
    const error = failure(() => resolveVariant('matmul/nope', {}, 'cases[0]'));
    expect(error.field).toBe('cases[0].kernel');
    expect(error.message).toContain('matmul/naive');
  });

  test('a tunable', () => {
    const error = failure(() => resolveVariant('matmul/naive', { TILE: 16 }, 'cases[0]'));
    expect(error.field).toBe('cases[0].tunables.TILE');
    expect(error.message).toContain('BLOCK, MAPPING');
  });

  test('a value, also one of the wrong type', () => {
    for (const value of [17, '16']) {
      const error = failure(() => resolveVariant('matmul/naive', { BLOCK: value }));
      expect(error.field).toBe('tunables.BLOCK');
      expect(error.message).toContain('1, 2, 4, 8, 16, 32');
    }
  });

  test('an invalid address', () => {
    expect(failure(() => parseVariant('matmul naive')).field).toBe('variant');
    expect(failure(() => parseVariant('matmul/naive[BLOCK]')).field).toBe('tunables.BLOCK');
    expect(failure(() => parseVariant('matmul/naive[BLOCK=17]')).message).toContain('17');
  });
});
