import { areBytes, type Dtype, isBlocked } from '../problem/dtype';
import { fourReaderOf } from '../problem/storage';
import { each } from './lines';
import { storageOf } from './memory';
import { stagedTypes } from './packed-dots';

/**
 * How kernels that stage tiles read weights: B stored by rows, N x K, in elements or in blocks. A row of
 * B is then read along K, as a row of A is.
 */

/** `load_b_aligned` and `load_b_unaligned`: four weights of a row along K, or four words of bytes. */
export function loadFour(weights: Dtype, parameter: string, row: string, last: string): string {
  const at = `${row} * shape.k + 4 * min(k4, shape.k / 4 - 1)`;
  const { staged } = stagedTypes({ weights });
  if (isBlocked(weights) && !areBytes(weights)) {
    return `
${fourReaderOf('B', storageOf(weights, 'B'))}
${['aligned', 'unaligned']
  .map(
    (access) => `fn load_b_${access}(${parameter}row: u32, k4: u32) -> V {
  return V(load4_B(${at}));
}`,
  )
  .join('\n')}`;
  }
  return `
fn load_b_aligned(${parameter}row: u32, k4: u32) -> ${staged} {
  return ${staged}(B4[(${at}) / 4]);
}
fn load_b_unaligned(${parameter}row: u32, k4: u32) -> ${staged} {
  let at = ${row} * shape.k + 4 * k4;
  let last = ${last};
  return ${staged}(shifted(B4[min(at / 4, last)], B4[min(at / 4 + 1, last)], at % 4));
}`;
}

/**
 * `load_...` and `edge_...` of either side: 16 bytes of a row along K. `at` is where the row begins, in
 * units of 16 or, if unaligned, in words.
 */
export function loadBytes(side: 'a' | 'b'): string {
  const matrix = side.toUpperCase();
  const words = (at: string) => `vec4u(${each(4, (i) => `${matrix}4[${at}[${i}]]`).join(', ')})`;
  return `
fn load_${side}_aligned(at: u32, k16: u32) -> vec4u {
  return ${matrix}16[at + k16];
}
fn edge_${side}_aligned(at: u32, k16: u32) -> vec4u {
  let last = shape.k / 16 - 1;
  return select(vec4u(0), ${matrix}16[at + min(k16, last)], k16 <= last);
}
fn load_${side}_unaligned(at: u32, k16: u32) -> vec4u {
  let words = at + 4 * k16 + vec4u(0, 1, 2, 3);
  return ${words('words')};
}
fn edge_${side}_unaligned(at: u32, k16: u32) -> vec4u {
  let last = vec4u(shape.k / 4 - 1);
  let k4 = 4 * k16 + vec4u(0, 1, 2, 3);
  let words = at + min(k4, last);
  return select(vec4u(0), ${words('words')}, k4 <= last);
}`;
}

/**
 * `load_b_...` and `edge_b_...`: eight weights of a row along K, as halves. `at` is where the row
 * begins, in units of eight or, if unaligned, in halves.
 */
export function loadEight(weights: Dtype): string {
  const edge = (access: string) => `
fn edge_b_${access}(at: u32, k8: u32) -> vec4u {
  let last = shape.k / 8 - 1;
  return select(vec4u(0), load_b_${access}(at, min(k8, last)), k8 <= last);
}`;
  if (isBlocked(weights)) {
    return `
${fourReaderOf('B', storageOf(weights, 'B'))}
fn eight(i: u32) -> vec4u {
  let low = vec4<f16>(load4_B(i));
  let high = vec4<f16>(load4_B(i + 4));
  return vec4u(bitcast<vec2u>(low), bitcast<vec2u>(high));
}
fn load_b_aligned(at: u32, k8: u32) -> vec4u {
  return eight(8 * (at + k8));
}
fn load_b_unaligned(at: u32, k8: u32) -> vec4u {
  return eight(at + 8 * k8);
}${edge('aligned')}${edge('unaligned')}`;
  }
  return `
fn load_b_aligned(at: u32, k8: u32) -> vec4u {
  return B8[at + k8];
}${edge('aligned')}
fn edge_b_unaligned(at: u32, k8: u32) -> vec4u {
  return load_b_unaligned(at, k8) & before_k(k8);
}`;
}
