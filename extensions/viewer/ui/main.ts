// Starts the viewer: applies the theme and opens the files that the serving command names.

import '../../../ui/styles/page.css';
import { followLinks } from '../../../ui/state/location.ts';
import { applyTheme } from '../../../ui/state/preferences.ts';
import './app.ts';
import { servedFiles } from './files.ts';
import { openFiles, reading } from './reading.ts';

applyTheme();
followLinks();
try {
  const { files, trust } = await servedFiles(globalThis.location);
  if (files.length > 0) openFiles(files, trust);
} catch (error) {
  reading.set({ status: 'none', failure: error instanceof Error ? error.message : String(error) });
}
