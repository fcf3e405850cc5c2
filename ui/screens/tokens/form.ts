// The form of a new admin token.

import { html } from 'lit';

import { call } from '../../api/http/call.ts';
import type { Principal } from '../../api/records.ts';
import { effectivePermissions } from '../../lib/access/permissions.ts';
import { blankToken, carriableOf, tokenBody } from '../../lib/access/token-draft.ts';
import type { TokenDraft } from '../../lib/access/token-draft.ts';
import { BearerForm } from '../../parts/bearer-form.ts';
import { creationOf } from '../../parts/bearer-saves.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { zone } from '../../state/preferences.ts';

class GwTokenForm extends BearerForm<TokenDraft> {
  protected override readonly hints = {
    principal: 'The audit log names it for what the program does. Mostly a service account.',
    name: 'Where it is used, such as deploy-pipeline',
  };
  protected override readonly expiries = [
    { value: '7', label: 'In 7 days' },
    { value: '30', label: 'In 30 days' },
    { value: '90', label: 'In 90 days' },
    // One day less than the maximum, because the clock of the browser may be ahead of the server's.
    { value: '364', label: 'In a year' },
    { value: 'date', label: 'At a time that you choose' },
  ];

  protected override draftOf(): TokenDraft {
    return { ...blankToken, principal_id: this.first };
  }

  #held(principal: Principal | undefined) {
    return effectivePermissions(principal?.roles ?? [], this.roles);
  }

  protected override saveOf(draft: TokenDraft) {
    const principal = this.chosenPrincipal(draft);
    const held = this.#held(principal);
    const read = tokenBody(draft, { held, now: Date.now(), zone: zone.get() });
    if ('wrong' in read) return read;
    const { name, permissions, expires_at } = read.body;
    return creationOf({
      noun: 'token',
      name,
      after: { name, principal: principal?.name ?? '', permissions, expires_at },
      create: (change) => call('POST', '/admin/tokens', { body: read.body, ...change }),
      onMade: this.tellMade,
    });
  }

  protected override reach(principal: Principal): FormRow<TokenDraft> {
    const choices = carriableOf(this.#held(principal)).map((verb) => ({
      value: verb,
      label: verb,
    }));
    if (choices.length === 0) {
      return html`<p class="notice warn" role="status">
        ${principal.name} holds no permission of the admin API. Grant it a role first.
      </p>`;
    }
    return {
      name: 'permissions',
      label: 'Permissions',
      type: 'toggles',
      hint: 'Never more than the principal holds. config:write is full control: it can grant roles and set passwords.',
      choices,
    };
  }
}

customElements.define('gw-token-form', GwTokenForm);
