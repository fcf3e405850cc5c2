// Tests the admin listener while the control plane opens.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { refuse } from '../../../src/lib/refusal.ts';
import { listenWaiting } from '../../../src/admin/http/waiting.ts';

it('is alive, is not ready, and sends the security headers of the real one', async (t) => {
  const waiting = await listenWaiting({
    host: '127.0.0.1',
    port: 0,
    tls: null,
    unready: () => refuse('unavailable', 'starting: …', { retryAfterSeconds: 2 }),
  });
  t.after(waiting.close);
  for (const [path, status, retryAfter] of [
    ['/healthz', 200, null],
    ['/readyz', 503, '2'],
    ['/admin/roles', 503, '2'],
  ] as const) {
    const answer = await fetch(waiting.url + path);
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get('retry-after'), retryAfter);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.ok(answer.headers.get('x-request-id'));
    await answer.body?.cancel();
  }
});
