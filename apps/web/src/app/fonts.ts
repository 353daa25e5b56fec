import localFont from 'next/font/local';

/**
 * The site's typefaces, from the package `geist`, whose own loaders swap a face in whenever it
 * arrives. A face that comes late would move everything on the page; with `optional` the page keeps
 * the face that it was first drawn in, and the next one has the right one from the cache. The names
 * of these constants name the faces: "sans" and "mono" would be the system's own.
 */
const geistSans = localFont({
  src: '../../../../node_modules/geist/dist/fonts/geist-sans/Geist-Variable.woff2',
  variable: '--font-geist-sans',
  weight: '100 900',
  display: 'optional',
  // A face that is made of a local one comes late, too.
  adjustFontFallback: false,
});

const geistMono = localFont({
  src: '../../../../node_modules/geist/dist/fonts/geist-mono/GeistMono-Variable.woff2',
  variable: '--font-geist-mono',
  weight: '100 900',
  display: 'optional',
  adjustFontFallback: false,
});

/** Class names that make the faces known to style sheets. */
export const FONTS = `${geistSans.variable} ${geistMono.variable}`;
