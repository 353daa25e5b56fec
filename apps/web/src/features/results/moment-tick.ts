/**
 * A tick of a time axis, in UTC as everywhere on the site: a midnight is its day, any other moment
 * its time, over the day where it is the first. An axis that passes midnight has a tick there.
 */
export function momentTick(at: Date, index: number): string {
  const [day = '', time = ''] = at.toISOString().slice(0, 19).split('T');
  if (time === '00:00:00') return day;
  const short = time.replace(/:00$/, '');
  return index === 0 ? `${short}\n${day} UTC` : short;
}
