import { useEffect, useState } from 'react';

interface Battery extends EventTarget {
  readonly charging: boolean;
}

/** Chrome tells; others do not. */
const batteryOf = (): Promise<Battery> | undefined =>
  Reflect.get(navigator, 'getBattery')?.call(navigator);

/**
 * Why the tab should rest though nobody has paused it; null if it need not. Keeps the screen awake
 * while it works.
 */
export function useHold(isWorking: boolean, isCareful: boolean): string | null {
  const [isHidden, setHidden] = useState(false);
  const [isOnBattery, setOnBattery] = useState(false);

  useEffect(() => {
    const look = () => setHidden(document.visibilityState === 'hidden');
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);

  useEffect(() => {
    const over = new AbortController();
    void batteryOf()?.then((battery) => {
      const look = () => setOnBattery(!battery.charging);
      look();
      battery.addEventListener('chargingchange', look, { signal: over.signal });
    });
    return () => over.abort();
  }, []);

  const why = isHidden ? 'the tab is hidden' : isOnBattery ? 'the machine is on battery' : null;
  const rests = isHidden || (isCareful && why !== null);
  useEffect(() => {
    if (!isWorking || rests || !('wakeLock' in navigator)) return;
    // Refused on a battery that is low: the screen then sleeps as it likes.
    const lock = navigator.wakeLock.request('screen').catch(() => null);
    return () => void lock.then((held) => held?.release());
  }, [isWorking, rests]);

  return isCareful ? why : null;
}
