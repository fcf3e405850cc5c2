// Installs what the tests need and npm does not bring, where it is missing and can be installed, once and before they run side by
// side: a browser, and programs of Debian. A test that finds none says what to do.

import { preparePrograms } from '../test/harness/postgres/debian.ts';
import { installChromium } from '../test/ui/harness/chromium.ts';

if (installChromium()) process.stdout.write('installed Chromium for the tests\n');
try {
  preparePrograms();
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : 'failed'}\n`);
}
