// Installs the browser, the Debian programs, Python packages and the earlier release that the tests need, if they are missing and
// can be installed. It runs once before the tests. A test without its program says what to do.

import { prepareFocusValidator } from '../test/harness/focus/validator.ts';
import { preparePrograms } from '../test/harness/postgres/debian.ts';
import { prepareS3 } from '../test/harness/s3/server.ts';
import { installRelease } from '../test/harness/program/release.ts';
import { installChromium } from '../test/ui/harness/chromium.ts';

if (installChromium()) process.stdout.write('installed Chromium for the tests\n');
const prepareRelease = () => installRelease('0.1.0');
for (const prepare of [preparePrograms, prepareFocusValidator, prepareS3, prepareRelease]) {
  try {
    prepare();
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : 'failed'}\n`);
  }
}
