/** What a browser shows of a page that the site cannot give now. It needs nothing else of the site. */
export const busyPage = (retryAfterS: number): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${retryAfterS}">
<title>Too many requests</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 0 1rem }
</style>
<h1>Too many requests</h1>
<p>The site cannot serve this page now. It is loaded again in ${retryAfterS} s.</p>
`;
