// The form of a new API key or admin token: its principal, what it may do, its name and its expiry.

import type { PropertyDeclarations } from 'lit';

import type { Principal, Role } from '../api/records.ts';
import { Watch } from '../elements/watch.ts';
import { orNone, recordChoices } from '../lib/page/choices.ts';
import type { KeyDraft } from '../lib/access/key-draft.ts';
import { zone } from '../state/preferences.ts';
import type { FormRow } from './form-rows.ts';
import { RecordForm } from './record-form.ts';

type Choice = Readonly<{ value: string; label: string }>;

/** Tells by `gw-made` what was created, in addition to what forms tell. */
export abstract class BearerForm<Draft extends KeyDraft> extends RecordForm<null, Draft> {
  static override properties: PropertyDeclarations = {
    principals: { attribute: false },
    roles: { attribute: false },
    first: { type: String },
  };
  declare principals: readonly Principal[];
  declare roles: readonly Role[];
  /** The principal that is chosen at first; empty for none. */
  declare first: string;
  readonly #zone = new Watch(this, zone);

  protected abstract readonly hints: Readonly<{ principal: string; name: string }>;
  protected abstract readonly expiries: readonly Choice[];
  /** Below the principal: what it may do, or what is chosen of that. */
  protected abstract reach(principal: Principal): FormRow<Draft>;

  protected chosenPrincipal({ principal_id }: KeyDraft): Principal | undefined {
    return this.principals.find(({ id }) => String(id) === principal_id);
  }

  protected readonly tellMade = (detail: unknown): void =>
    void this.dispatchEvent(new CustomEvent('gw-made', { detail }));

  protected override fields(draft: Draft): readonly FormRow<Draft>[] {
    const zoneName = this.#zone.value === 'utc' ? 'UTC' : 'local time';
    const principal = this.chosenPrincipal(draft);
    return [
      {
        name: 'principal_id',
        label: 'Principal',
        type: 'select',
        hint: this.hints.principal,
        required: true,
        choices: orNone('Choose one', recordChoices(this.principals)),
      },
      principal === undefined ? null : this.reach(principal),
      { name: 'name', label: 'Name', hint: this.hints.name, required: true },
      { name: 'expiry', label: 'Expires', type: 'select', required: true, choices: this.expiries },
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
}
