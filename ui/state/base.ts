// Where the UI and the API lie, found by where this script came from: behind a reverse proxy both may be below another path.

/** Scripts are in `assets/`, one below the UI. */
const script = new URL(import.meta.url);

const isBuilt = /\/assets\/[^/]+\.js$/.test(script.pathname);

/** The path of the UI; ends in a slash. */
export const uiBase = isBuilt ? new URL('../', script).pathname : '/ui/';

/** The path that `/admin/…` is below; ends in a slash. */
export const apiBase = uiBase.replace(/ui\/$/, '');
