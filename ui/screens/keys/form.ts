// The form of a new API key.

import { html } from 'lit';

import { call } from '../../api/http/call.ts';
import type { Principal } from '../../api/records.ts';
import { blankKey, keyBody } from '../../lib/access/key-draft.ts';
import type { KeyDraft } from '../../lib/access/key-draft.ts';
import { effectivePermissions, invokable } from '../../lib/access/permissions.ts';
import { BearerForm } from '../../parts/bearer-form.ts';
import { creationOf } from '../../parts/bearer-saves.ts';
import { zone } from '../../state/preferences.ts';

class GwKeyForm extends BearerForm<KeyDraft> {
  protected override readonly hints = {
    principal: 'Roles, limits and budget come from the principal',
    name: 'Where it is used, such as billing-nightly',
  };
  protected override readonly expiries = [
    { value: '30', label: 'In 30 days' },
    { value: '90', label: 'In 90 days' },
    { value: '365', label: 'In a year' },
    { value: 'date', label: 'At a time that you choose' },
    { value: 'never', label: 'Never' },
  ];

  protected override draftOf(): KeyDraft {
    return { ...blankKey, principal_id: this.first };
  }

  protected override saveOf(draft: KeyDraft) {
    const body = keyBody(draft, { now: Date.now(), zone: zone.get() });
    const { name, expires_at } = body;
    const principal = this.chosenPrincipal(draft)?.name ?? '';
    return creationOf({
      noun: 'key',
      name,
      after: { name, principal, expires_at: expires_at ?? 'never' },
      create: (change) => call('POST', '/admin/keys', { body, ...change }),
      onMade: this.tellMade,
    });
  }

  protected override reach({ name, roles }: Principal) {
    const reach = invokable(effectivePermissions(roles, this.roles));
    return html`<p class="notice ${reach === 'no model' ? 'warn' : ''}" role="status">
      ${name} may invoke
      ${reach}${reach === 'no model' ? ': grant it a role before the key is used' : ''}.
    </p>`;
  }
}

customElements.define('gw-key-form', GwKeyForm);
