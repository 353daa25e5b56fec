import type { ReactNode } from 'react';

/** Title of a page, what it is in a line, and what can be done with it. */
export function PageHeader({
  title,
  children,
  actions,
  above,
}: {
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  above?: ReactNode;
}) {
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 max-w-3xl">
        {above && <p className="mb-1 text-xs text-muted">{above}</p>}
        <h1 className="text-[1.375rem] leading-7 break-words">{title}</h1>
        {children && <p className="mt-1 text-muted">{children}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

/** A titled part of a page. The heading names the region. */
export function Section({
  title,
  note,
  actions,
  children,
  id,
}: {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  id: string;
}) {
  return (
    <section aria-labelledby={id} className="mt-8 first:mt-0">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h2 id={id} className="text-[0.9375rem]">
            {title}
          </h2>
          {note && <p className="text-xs text-muted">{note}</p>}
        </div>
        {actions && <div className="flex items-center gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A surface bounded by a hairline: what tables, figures and forms lie on. */
export function Panel({ children, className = '' }: { children: ReactNode; className?: string }) {
  return (
    <div className={`rounded-tile border border-line bg-surface ${className}`}>{children}</div>
  );
}
