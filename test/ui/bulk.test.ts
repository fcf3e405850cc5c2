// Tests that several API keys are revoked as one change, in a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { press, saveDialog } from './harness/actions.ts';
import { make, rows } from './harness/records.ts';
import { emptyServer, open } from './harness/server.ts';
import { toast } from './harness/toast.ts';
import { expectCleanScreen } from './harness/watch.ts';

for (const look of [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 360 },
] as const) {
  it(`ticked keys are revoked as one change, ${look.theme}, ${look.width} px`, async (t) => {
    const server = await emptyServer(t);
    for (const name of ['one', 'two', 'three']) {
      await make(server, '/admin/keys', { name, principal_id: 1 });
    }
    await server.send('DELETE', '/admin/keys/3');
    const { page, watched } = await open(t, server, 'keys', look);
    for (const name of ['one', 'three']) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Revoke 1 API key', exact: true }).waitFor();
    await page.getByLabel('Select two').check();
    await press(page, 'Revoke 2 API keys');
    const dialog = saveDialog(page);
    await dialog.getByText('two, bootstrap').waitFor();
    await expectCleanScreen(page, watched);
    await dialog.getByLabel(/to confirm/).fill('2');
    await dialog.getByLabel('Reason').fill('The laptop was lost');
    await dialog.getByRole('button', { name: 'Revoke 2 API keys' }).click();
    await toast(page, /2 API keys revoked · version \d+/);
    const keys = await rows(server, '/admin/keys');
    assert.ok(keys.every((key) => key['disabled'] === true));
    const [newest] = await rows(server, '/admin/history/commands?limit=1');
    assert.deepEqual([newest?.['reason'], newest?.['event_count']], ['The laptop was lost', 2]);
  });
}
