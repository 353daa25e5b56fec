import type { Dtype } from '../dtype';
import type { Sample } from '../sample';

/** A measurement of the device itself, not of a kernel. */
export type ProbeRequest =
  /** Copy bandwidth over a working set of so many bytes, half read and half written. */
  | { readonly id: 'copy'; readonly bytes: number }
  /** Peak rate of multiply-adds in a dtype. */
  | { readonly id: 'fma'; readonly dtype: Dtype }
  /** A small fixed load of f32 multiply-adds: slower than its best means throttled. */
  | { readonly id: 'canary' };

/** A probe compiled and bound, with the work of one dispatch: rates are derived. */
export interface Probe {
  /** Operations of one dispatch; 0 for a copy. */
  readonly flops: number;
  /** Bytes read and written by one dispatch; 0 for multiply-adds. */
  readonly bytes: number;
  /** Runs and times back-to-back dispatches. Throws DeviceFault when the device is lost. */
  sample(dispatches: number): Promise<Sample>;
  destroy(): void;
}

/** How a probe is run on a GPU; everything a rate is derived from. */
export interface ProbeLoad {
  readonly workgroup: number;
  readonly workgroups: number;
  /** Turns of a thread's loop. */
  readonly turns: number;
}

/** Enough threads for the largest GPU: 132 processors of 2,048 threads twice over. */
const FULL: ProbeLoad = { workgroup: 256, workgroups: 2_048, turns: 1_024 };

const CANARY: ProbeLoad = { workgroup: 256, workgroups: 512, turns: 256 };

const BYTES_PER_VECTOR = 16;

/** Bytes that one dispatch of a copy moves at least, however small its working set. */
const LEAST_COPIED = 2 ** 26;

/** Workgroups that every device dispatches along one side. */
const MAX_WORKGROUPS = 65_535;

/** The load of a request. */
export function loadOf(request: ProbeRequest): ProbeLoad {
  if (request.id === 'canary') return CANARY;
  if (request.id === 'fma') return FULL;
  // A thread for each vec4 of a large set, as a copy kernel has: threads that loop move
  // less (3,940 against 4,170 GB/s on an H200, 2026-11-21).
  const wanted = Math.ceil(vectorsOf(request) / FULL.workgroup);
  const workgroups = Math.min(Math.max(wanted, FULL.workgroups), MAX_WORKGROUPS);
  const moved = Math.max(request.bytes, LEAST_COPIED);
  const movedByTurn = FULL.workgroup * workgroups * 2 * BYTES_PER_VECTOR;
  return { ...FULL, workgroups, turns: Math.max(1, Math.round(moved / movedByTurn)) };
}

/** Work of one dispatch. */
export function workOf(request: ProbeRequest): { flops: number; bytes: number } {
  const { workgroup, workgroups, turns } = loadOf(request);
  const threadTurns = workgroup * workgroups * turns;
  if (request.id === 'copy') return { flops: 0, bytes: threadTurns * 2 * BYTES_PER_VECTOR };
  // A turn is eight vec4 multiply-adds: see fma.wgsl.
  return { flops: threadTurns * 8 * 4 * 2, bytes: 0 };
}

/** vec4s in each half of a copy's working set. */
export function vectorsOf({ bytes }: { readonly bytes: number }): number {
  return Math.max(1, Math.floor(bytes / 2 / BYTES_PER_VECTOR));
}
