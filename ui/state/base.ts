// Where the UI and the API lie, found by where this script came from: behind a reverse proxy both may be below another path.

/** Scripts are in `assets/`, one below the UI. */
const script = new URL(import.meta.url);

const isBuilt = /\/assets\/[^/]+\.js$/.test(script.pathname);

/** The page is one file that is opened from anywhere: no server knows its places, so they stand behind the hash. */
export const isOneFile =
  'document' in globalThis && document.documentElement.hasAttribute('data-one-file');

const served = isBuilt ? new URL('../', script).pathname : '/ui/';

/** What every address of the UI begins with; ends in a slash. */
export const uiBase = isOneFile ? '#/' : served;

/** The path that `/admin/…` is below; ends in a slash. */
export const apiBase = uiBase.replace(/ui\/$/, '');
