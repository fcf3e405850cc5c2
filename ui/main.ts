// Starts the UI: applies the theme and draws the frame, which loads the screen.

import './styles/page.css';
import { guardUnload } from './state/edits.ts';
import { followLinks } from './state/location.ts';
import { applyTheme } from './state/preferences.ts';

/** Files are named relative to the first address; the browser would look for the icon at each later address. */
function keepIcon(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) {
    link.setAttribute('href', link.href);
  }
}

keepIcon();
applyTheme();
followLinks();
guardUnload();
await import('./shell/app.ts');
