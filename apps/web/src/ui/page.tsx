import type { ReactNode } from 'react';
import { ButtonLink } from './button';

/** The title of a page, a line about it, and its actions. */
export function PageHeader({
  title,
  children,
  actions,
  above,
  level = 1,
  id,
}: {
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  above?: ReactNode;
  /** 2 where something else heads the page. */
  level?: 1 | 2;
  id?: string;
}) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 max-w-3xl">
        {above && <p className="mb-1 text-xs text-muted">{above}</p>}
        <Heading id={id} className="scroll-mt-4 text-[1.375rem] leading-7 break-words">
          {title}
        </Heading>
        {children && <div className="mt-1 text-pretty text-muted">{children}</div>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

/** A titled part of a page. The heading names the region; what few come for is folded below it. */
export function Section({
  title,
  note,
  actions,
  children,
  id,
  isFolded = false,
}: {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  id: string;
  isFolded?: boolean;
}) {
  const heading = (
    <>
      <h2 id={id} className={`text-[0.9375rem] ${isFolded ? 'inline' : ''}`}>
        {title}
      </h2>
      {note && <span className={`text-xs text-muted ${isFolded ? 'ml-3' : ''}`}>{note}</span>}
    </>
  );
  return (
    <section aria-labelledby={id} className="mt-8 first:mt-0">
      {isFolded ? (
        <details>
          <summary className="mb-2">{heading}</summary>
          {children}
        </details>
      ) : (
        <>
          <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
            <div className="flex flex-wrap items-baseline gap-x-3">{heading}</div>
            {actions && (
              <div className="ml-auto flex flex-wrap items-center justify-end gap-2">{actions}</div>
            )}
          </div>
          {children}
        </>
      )}
    </section>
  );
}

/** A surface with a hairline border, for figures and forms. */
export function Panel({ children, className = '' }: { children: ReactNode; className?: string }) {
  return (
    <div className={`rounded-tile border border-line bg-surface ${className}`}>{children}</div>
  );
}

/** A page in place of another: what happened, and where to go. */
export function StatusPage({
  code,
  title,
  children,
}: {
  code: string;
  title: string;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto max-w-xl space-y-4 py-12 sm:py-20">
      <div>
        <p className="font-mono text-xs text-muted">{code}</p>
        <h1 className="text-[1.375rem] leading-7">{title}</h1>
      </div>
      <div className="space-y-4 text-muted">{children}</div>
    </div>
  );
}

/** What other visitors see in place of a page for admins. */
export function AdminsOnly() {
  return (
    <StatusPage code="403" title="This page is for admins">
      <p>Your token has another role. Log out, then log in with an admin token.</p>
      <ButtonLink href="/">Leaderboard</ButtonLink>
    </StatusPage>
  );
}
