import type { ReactNode } from 'react';

/** What to do next where there is nothing to show yet. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-tile border border-dashed border-line-strong px-6 py-10 text-center">
      <p className="font-medium">{title}</p>
      <div className="mx-auto mt-2 max-w-prose space-y-3 text-muted">{children}</div>
    </div>
  );
}

const tones = {
  neutral: 'border-line-strong bg-sunken',
  amber: 'border-amber bg-amber-soft',
  rose: 'border-rose bg-rose-soft',
} as const;

/** A message about what is shown or what was asked. `alert` interrupts a screen reader. */
export function Notice({
  tone = 'neutral',
  alert = false,
  children,
}: {
  tone?: keyof typeof tones;
  alert?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      role={alert ? 'alert' : undefined}
      className={`rounded-tile border-l-2 px-3 py-2 text-[0.8125rem] ${tones[tone]}`}
    >
      {children}
    </div>
  );
}
