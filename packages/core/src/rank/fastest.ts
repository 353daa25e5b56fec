import { isCeiling } from '@tilemark/kernels';
import { ascending, descending } from 'd3-array';

/** A measured run, as far as it is placed among others of one unit. */
export interface Placeable {
  readonly kernel: string;
  readonly isRanked: boolean;
  /** GFLOP/s or GB/s. */
  readonly rate: number;
}

/**
 * Orders the runs of a sweep, its fastest first: ranked ones before the others, however fast, and
 * copies last, since they do not do the work of the op.
 */
export const byPlace = (a: Placeable, b: Placeable): number =>
  ascending(Number(isCeiling(a.kernel)), Number(isCeiling(b.kernel))) ||
  descending(Number(a.isRanked), Number(b.isRanked)) ||
  descending(a.rate, b.rate);
