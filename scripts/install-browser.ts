// Installs the browser, the Debian programs and the FOCUS validator that the tests need, if they are missing and can be installed. It
// runs once before the tests. A test without its program says what to do.

import { prepareFocusValidator } from '../test/harness/focus/validator.ts';
import { preparePrograms } from '../test/harness/postgres/debian.ts';
import { installChromium } from '../test/ui/harness/chromium.ts';

if (installChromium()) process.stdout.write('installed Chromium for the tests\n');
for (const prepare of [preparePrograms, prepareFocusValidator]) {
  try {
    prepare();
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : 'failed'}\n`);
  }
}
