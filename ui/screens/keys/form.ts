// The form of a new key: whose it is, what it is called, and how long it opens.

import { html } from 'lit';
import type { PropertyDeclarations } from 'lit';

import type { MadeApiKey } from '../../api/keys.ts';
import type { Principal } from '../../api/principals.ts';
import type { Role } from '../../api/roles.ts';
import { Watch } from '../../elements/watch.ts';
import { orNone, recordChoices } from '../../lib/choices.ts';
import { blankKey } from '../../lib/key-draft.ts';
import type { KeyDraft } from '../../lib/key-draft.ts';
import { effectivePermissions, invokable } from '../../lib/permissions.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { zone } from '../../state/preferences.ts';
import { creationOf } from './saves.ts';

const expiries = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'At a moment of your choice' },
  { value: 'never', label: 'Never' },
];

/** Tells by `gw-made` the key, besides what forms tell. */
export class GwKeyForm extends RecordForm<null, KeyDraft> {
  static override properties: PropertyDeclarations = {
    principals: { attribute: false },
    roles: { attribute: false },
    first: { type: String },
  };
  declare principals: readonly Principal[];
  declare roles: readonly Role[];
  /** The principal that is chosen at first; empty is none. */
  declare first: string;
  readonly #zone = new Watch(this, zone);

  protected override draftOf(): KeyDraft {
    return { ...blankKey, principal_id: this.first };
  }

  #principal({ principal_id }: KeyDraft): Principal | undefined {
    return this.principals.find(({ id }) => String(id) === principal_id);
  }

  protected override saveOf(draft: KeyDraft) {
    const onMade = (detail: MadeApiKey): void =>
      void this.dispatchEvent(new CustomEvent('gw-made', { detail }));
    return creationOf({ draft, principal: this.#principal(draft)?.name ?? '', onMade });
  }

  protected override fields(draft: KeyDraft): readonly FormRow<KeyDraft>[] {
    const zoneName = this.#zone.value === 'utc' ? 'UTC' : 'local time';
    return [
      {
        name: 'principal_id',
        label: 'Principal',
        type: 'select',
        hint: "Who calls with it: roles, limits and budget are the principal's",
        required: true,
        choices: orNone('Choose one', recordChoices(this.principals)),
      },
      this.#reach(draft),
      {
        name: 'name',
        label: 'Name',
        hint: 'Where it is used, such as billing-nightly',
        required: true,
      },
      { name: 'expiry', label: 'Expires', type: 'select', required: true, choices: expiries },
      draft.expiry === 'date'
        ? {
            name: 'expires_at',
            label: `Expires at, ${zoneName}`,
            type: 'datetime-local',
            required: true,
          }
        : null,
    ];
  }

  #reach(draft: KeyDraft) {
    const principal = this.#principal(draft);
    if (principal === undefined) return null;
    const reach = invokable(effectivePermissions(principal.roles, this.roles));
    return html`<p class="notice ${reach === 'no model' ? 'warn' : ''}" role="status">
      ${principal.name} may invoke
      ${reach}${reach === 'no model' ? ': grant it a role before the key is used' : ''}.
    </p>`;
  }
}

customElements.define('gw-key-form', GwKeyForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-key-form': GwKeyForm;
  }
}
