import Link from 'next/link';

const TABS = [
  ['/compare', 'Results'],
  ['/compare/variants', 'Variants'],
  ['/compare/devices', 'Devices'],
] as const;

/** What is compared with what. */
export function CompareTabs({ here }: { here: (typeof TABS)[number][0] }) {
  return (
    <nav aria-label="What to compare" className="mb-5 flex gap-5 border-b border-line">
      {TABS.map(([href, text]) => (
        <Link
          key={href}
          href={href}
          aria-current={href === here ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent py-1.5 text-[0.8125rem] text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
