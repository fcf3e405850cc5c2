// Tests that models of a provider are registered as one change, which can be proposed, copied and
// undone as one.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { applyCalls } from '../../../../ui/api/change-sets.ts';
import type { Prepared } from '../../../../ui/api/http/call.ts';
import { draftCallsOf } from '../../../../ui/lib/changes/draft-calls.ts';
import { registrationCalls } from '../../../../ui/lib/providers/registration.ts';

const chosen = [
  { id: 'Qwen/Qwen3', context_length: 32_768 },
  { id: 'tiny', context_length: null },
];

it('shows all models before the change, which can be proposed as a whole', async () => {
  const calls = registrationCalls({ id: 7 }, chosen);
  const { promise, resolve } = Promise.withResolvers<Prepared>();
  void applyCalls(calls, { defaultReason: '2 models registered', preview: resolve });
  const prepared = await promise;
  assert.deepEqual(
    draftCallsOf(prepared)?.map(({ method, path, body }) => [method, path, body]),
    [
      [
        'POST',
        '/admin/provider-models',
        {
          name: 'Qwen/Qwen3',
          context_length: 32_768,
          provider_id: 7,
          upstream_model: 'Qwen/Qwen3',
        },
      ],
      [
        'POST',
        '/admin/provider-models',
        { name: 'tiny', context_length: null, provider_id: 7, upstream_model: 'tiny' },
      ],
    ],
  );
});
