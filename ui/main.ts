// Where the UI begins: the theme before anything is drawn, then the frame, which loads the screen.

import './styles/page.css';
import { guardUnload } from './state/edits.ts';
import { followLinks } from './state/location.ts';
import { applyTheme } from './state/preferences.ts';

/** The page names its files as seen from the address it was opened at; the browser asks for the icon again at each address after it. */
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
