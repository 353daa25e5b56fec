import { formatAge, formatMoment } from './format';

/** How long ago, with the exact moment on hover. Rendered on the server, so `now` is the request's. */
export function Ago({ date }: { date: string }) {
  const moment = new Date(date);
  return (
    <time
      dateTime={date}
      title={formatMoment(moment)}
      className="whitespace-nowrap"
      suppressHydrationWarning
    >
      {formatAge(moment, new Date())}
    </time>
  );
}

export function Moment({ date }: { date: string }) {
  return (
    <time dateTime={date} className="whitespace-nowrap">
      {formatMoment(new Date(date))}
    </time>
  );
}
