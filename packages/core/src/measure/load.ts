/** A machine whose processors work a greater part of the time for others is busy: times are theirs, too. */
export const BUSY_PART = 0.2;
