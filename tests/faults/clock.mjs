/**
 * Preloaded into a part of a grid: each SIGUSR2 sets its clock, an hour ahead, an hour behind and
 * right again. What counts time in the program (`performance.now`, timers) goes on, as it does in
 * a kernel whose clock is set.
 */
const HOUR_MS = 3_600_000;
const JUMPS_MS = [HOUR_MS, -HOUR_MS, 0];
const RealDate = Date;
let aheadMs = 0;
let jumps = 0;

globalThis.Date = class ClockThatIsSet extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + aheadMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + aheadMs;
  }
};

process.on('SIGUSR2', () => {
  aheadMs = JUMPS_MS[jumps % JUMPS_MS.length];
  jumps += 1;
});
