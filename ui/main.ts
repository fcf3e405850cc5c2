// Where the UI begins: the theme before anything is drawn, then the frame, which loads the screen.

import './styles/page.css';
import { guardUnload } from './state/edits.ts';
import { followLinks } from './state/location.ts';
import { applyTheme } from './state/preferences.ts';

applyTheme();
followLinks();
guardUnload();
await import('./shell/app.ts');
