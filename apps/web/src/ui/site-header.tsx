import { ButtonLink } from './button';
import { Link } from './link';
import { LoginLink, NavLink } from './navigation';
import { MARK_TILES, PLACES } from './site';

/**
 * Navigation and the visitor's account.
 *
 * @param user null: logged out; absent: unknown, so no account is shown
 */
export function SiteHeader({ user }: { user?: { name: string; role: string } | null }) {
  return (
    <header className="border-b border-line">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-6 px-4 sm:px-6">
        <Link href="/" className="flex h-11 items-center gap-2 font-semibold tracking-tight">
          <Mark />
          Tilemark
        </Link>
        <nav
          aria-label="Main"
          // On narrow screens in as many lines as it takes: every place is in sight.
          className="order-last flex w-full flex-wrap gap-x-4 pb-1 lg:order-none lg:w-auto lg:gap-x-5 lg:pb-0"
        >
          {PLACES.map(([href, name]) => (
            <NavLink key={href} href={href}>
              {name}
            </NavLink>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-2">
          <ButtonLink href="/add">Add your GPU</ButtonLink>
          {user?.role === 'admin' && <NavLink href="/operate">Operate</NavLink>}
          {user && (
            <form action="/logout" method="post" className="flex items-center gap-2">
              <span className="hidden text-xs text-muted md:inline" title={`Role: ${user.role}`}>
                {user.name}
              </span>
              <button
                type="submit"
                className="h-8 rounded-tile px-2 text-[0.8125rem] text-muted hover:bg-sunken hover:text-ink"
              >
                Log out
              </button>
            </form>
          )}
          {user === null && (
            <LoginLink className="inline-flex h-8 items-center rounded-tile px-2 text-[0.8125rem] text-muted hover:bg-sunken hover:text-ink">
              Log in
            </LoginLink>
          )}
        </div>
      </div>
    </header>
  );
}

/** The mark: a tile grid with one tile transposed into place. Decorative. */
function Mark() {
  return (
    <svg width="18" height="18" viewBox="0 0 20 20" aria-hidden="true" className="shrink-0">
      {MARK_TILES.map(({ x, y, isLit }) => (
        <rect
          key={`${x},${y}`}
          x={x}
          y={y}
          width="6"
          height="6"
          rx="1"
          fill={isLit ? 'var(--accent)' : 'var(--line-strong)'}
        />
      ))}
    </svg>
  );
}
