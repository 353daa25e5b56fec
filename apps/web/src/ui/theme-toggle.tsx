'use client';

import { useState } from 'react';
import { THEME_COOKIE, THEMES, type Theme } from './theme';

const SYMBOLS: Readonly<Record<Theme, string>> = { system: '◐', light: '○', dark: '●' };
const YEAR_SECONDS = 365 * 24 * 3600;

/** Steps through system, light and dark. */
export function ThemeToggle({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';

  const choose = () => {
    setTheme(next);
    if (next === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = `${THEME_COOKIE}=${next}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
  };

  return (
    <button
      type="button"
      onClick={choose}
      title={`Theme: ${theme}. Change to ${next}.`}
      aria-label={`Theme: ${theme}. Change to ${next}.`}
      className="inline-flex size-8 items-center justify-center rounded-tile text-base leading-none text-muted hover:bg-sunken hover:text-ink"
    >
      <span aria-hidden="true">{SYMBOLS[theme]}</span>
    </button>
  );
}
