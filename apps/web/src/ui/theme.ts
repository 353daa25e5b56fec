/** Chosen in the header, kept in a cookie, read by the server: the first paint is right. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_COOKIE = 'tilemark-theme';

export const parseTheme = (value: string | undefined): Theme =>
  THEMES.find((theme) => theme === value) ?? 'system';
