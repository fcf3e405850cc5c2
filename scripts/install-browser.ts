// Installs the browser of the tests where it is missing and can be installed, once and before they run side by side. A test that
// finds none says what to do.

import { installChromium } from '../test/ui/harness/chromium.ts';

if (installChromium()) process.stdout.write('installed Chromium for the tests\n');
