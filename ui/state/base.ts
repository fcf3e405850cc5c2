// Finds the addresses of the UI and the API from the address of this script, because a reverse proxy can put both below another path.

/** Scripts are in `assets/`, one level below the UI. */
const script = new URL(import.meta.url);

const isBuilt = /\/assets\/[^/]+\.js$/.test(script.pathname);

/** The viewer is one file without a server, so its places come after the hash. */
export const isOneFile =
  'document' in globalThis && document.documentElement.hasAttribute('data-one-file');

const served = isBuilt ? new URL('../', script).pathname : '/ui/';

/** Ends in a slash. */
export const uiBase = isOneFile ? '#/' : served;

/** The path above `/admin/…`; ends in a slash. */
export const apiBase = uiBase.replace(/ui\/$/, '');
