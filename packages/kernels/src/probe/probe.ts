/**
 * Probes: measurements of the device rather than of a kernel. Copies give its bandwidth and
 * multiply-adds its peak, which together form the roofline; the canary detects throttling.
 * Their shaders are beside this file; gpu/probe.ts runs them.
 */
import type { Dtype } from '../problem/dtype';
import type { Sample } from '../timing';

/** A measurement of the device itself, not of a kernel. */
export type ProbeRequest =
  /** Copy bandwidth over a working set of `bytes`, half of it read and half written. */
  | { readonly id: 'copy'; readonly bytes: number }
  /** Peak rate of multiply-adds in a dtype. */
  | { readonly id: 'fma'; readonly dtype: Dtype }
  /** A small fixed load of f32 multiply-adds: if it is slower than its best, the device throttles. */
  | { readonly id: 'canary' };

/** A compiled and bound probe, with the work of one dispatch, from which rates are derived. */
export interface Probe {
  /** Operations of one dispatch; 0 for a copy. */
  readonly flops: number;
  /** Bytes read and written by one dispatch; 0 for multiply-adds. */
  readonly bytes: number;
  /** Runs and times back-to-back dispatches. Throws DeviceFault if the device is lost. */
  sample(dispatches: number): Promise<Sample>;
  destroy(): void;
}

/** The dispatch of a probe on a GPU. */
interface ProbeLoad {
  readonly workgroup: number;
  readonly workgroups: number;
  /** Loop iterations per thread. */
  readonly turns: number;
}

/** Enough threads to fill the largest GPU about twice: 132 multiprocessors of 2,048 threads. */
const FULL: ProbeLoad = { workgroup: 256, workgroups: 2_048, turns: 1_024 };

const CANARY: ProbeLoad = { workgroup: 256, workgroups: 512, turns: 256 };

const BYTES_PER_VECTOR = 16;

/** Fewest bytes that one dispatch of a copy moves, however small its working set. */
const LEAST_COPIED = 2 ** 26;

/** Workgroups in one dimension that every device can dispatch. */
const MAX_WORKGROUPS = 65_535;

export function loadOf(request: ProbeRequest): ProbeLoad {
  if (request.id === 'canary') return CANARY;
  if (request.id === 'fma') return FULL;
  // One thread per vec4 of a large set, as in a copy kernel: threads that loop reach less
  // (3,940 instead of 4,170 GB/s on an H200, 2026-11-21).
  const wanted = Math.ceil(vectorsOf(request) / FULL.workgroup);
  const workgroups = Math.min(Math.max(wanted, FULL.workgroups), MAX_WORKGROUPS);
  const moved = Math.max(request.bytes, LEAST_COPIED);
  const movedByTurn = FULL.workgroup * workgroups * 2 * BYTES_PER_VECTOR;
  return { ...FULL, workgroups, turns: Math.max(1, Math.round(moved / movedByTurn)) };
}

export function workOf(request: ProbeRequest): { flops: number; bytes: number } {
  const { workgroup, workgroups, turns } = loadOf(request);
  const threadTurns = workgroup * workgroups * turns;
  if (request.id === 'copy') return { flops: 0, bytes: threadTurns * 2 * BYTES_PER_VECTOR };
  // An iteration is eight vec4 multiply-adds: see fma.wgsl.
  return { flops: threadTurns * 8 * 4 * 2, bytes: 0 };
}

/** vec4s in each half of a copy's working set. */
export function vectorsOf({ bytes }: { readonly bytes: number }): number {
  return Math.max(1, Math.floor(bytes / 2 / BYTES_PER_VECTOR));
}
