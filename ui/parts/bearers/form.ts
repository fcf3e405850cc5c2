// Defines the form of a new API key or admin token, and shows the created secret once.

import { html } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { list } from '../../api/http/call.ts';
import type { Answered, Change } from '../../api/http/call.ts';
import type { Principal } from '../../api/records.ts';
import { loaded, failureNotice } from '../../elements/loaded.ts';
import { Resource } from '../../elements/resource.ts';
import { Watch } from '../../elements/watch.ts';
import type { Now } from '../../lib/access/key-draft.ts';
import { effectivePermissions } from '../../lib/access/permissions.ts';
import type { Permission } from '../../lib/access/permissions.ts';
import { blankToken } from '../../lib/access/token-draft.ts';
import type { TokenDraft } from '../../lib/access/token-draft.ts';
import { orNone, recordChoices } from '../../lib/page/choices.ts';
import type { Wrong } from '../../lib/saves/draft.ts';
import type { Save } from '../../lib/saves/save.ts';
import { capital } from '../../lib/text/format.ts';
import { openRest } from '../../state/location.ts';
import { zone } from '../../state/preferences.ts';
import type { FormRow } from '../form-rows.ts';
import { RecordForm } from '../record-form.ts';
import './made.ts';
import type { MadeBearer } from './made.ts';

/** `held` are the permissions that the roles of the chosen principal give it. */
export type Holder = Readonly<{ name: string; held: readonly Permission[] }>;

type Created<Made> = Readonly<{
  name: string;
  /** For the diff. */
  after: Readonly<Record<string, unknown>>;
  run: (change: Change) => Promise<Answered<Made>>;
}>;

export type BearerFormKind<Made> = Readonly<{
  /** "API key" or "admin token". */
  noun: string;
  hints: Readonly<{ principal: string; name: string }>;
  expiries: readonly Readonly<{ value: string; label: string }>[];
  /** Shown below the principal: what it can do, or a choice of permissions. */
  reach: (holder: Holder) => FormRow<TokenDraft>;
  create: (draft: TokenDraft, holder: Holder, now: Now) => Created<Made> | Wrong;
  /** Only the response to the creation contains the secret. */
  shownOnce: (made: Made) => Promise<MadeBearer>;
}>;

class GwBearerForm extends RecordForm<null, TokenDraft> {
  static override properties: PropertyDeclarations = {
    kind: { attribute: false },
    first: { type: String },
    made: { state: true },
  };
  declare kind: BearerFormKind<unknown>;
  /** Empty if no principal is preselected. */
  declare first: string;
  declare made: MadeBearer | null;
  readonly #zone = new Watch(this, zone);
  readonly #people = new Resource(this, async (signal) => {
    const [principals, roles] = await Promise.all([
      list('/admin/principals', { signal }),
      list('/admin/roles', { signal }),
    ]);
    return { principals, roles };
  });

  constructor() {
    super();
    this.row = null;
    this.made = null;
  }

  protected override render() {
    return html`${failureNotice(this.#people)} ${loaded(this.#people, () => super.render())}
      <gw-made-bearer
        noun=${this.kind.noun}
        .made=${this.made}
        @gw-close=${this.#closeMade}
      ></gw-made-bearer>`;
  }

  protected override draftOf(): TokenDraft {
    return { ...blankToken, principal_id: this.first };
  }

  #principals(): readonly Principal[] {
    return this.#people.value?.principals ?? [];
  }

  #holder({ principal_id }: TokenDraft): Holder | undefined {
    const principal = this.#principals().find(({ id }) => String(id) === principal_id);
    if (principal === undefined) return undefined;
    const held = effectivePermissions(principal.roles, this.#people.value?.roles ?? []);
    return { name: principal.name, held };
  }

  protected override fields(draft: TokenDraft): readonly FormRow<TokenDraft>[] {
    const { hints, expiries, reach } = this.kind;
    const zoneName = this.#zone.value === 'utc' ? 'UTC' : 'local time';
    const holder = this.#holder(draft);
    return [
      {
        name: 'principal_id',
        label: 'Principal',
        type: 'select',
        hint: hints.principal,
        required: true,
        choices: orNone('Choose a principal', recordChoices(this.#principals())),
      },
      holder === undefined ? null : reach(holder),
      { name: 'name', label: 'Name', hint: hints.name, required: true },
      { name: 'expiry', label: 'Expires', type: 'select', required: true, choices: expiries },
      draft.expiry === 'date'
        ? {
            name: 'expires_at',
            label: `Expires at (${zoneName})`,
            type: 'datetime-local',
            required: true,
          }
        : null,
    ];
  }

  /** The form stays open below the dialog with the secret. */
  protected override saveOf(draft: TokenDraft): Save | Wrong {
    const { noun, create, shownOnce } = this.kind;
    const holder = this.#holder(draft) ?? { name: '', held: [] };
    const created = create(draft, holder, { now: Date.now(), zone: zone.get() });
    if ('wrong' in created) return created;
    const { name, after, run } = created;
    return {
      heading: `Create ${noun} ${name}`,
      verb: `Create ${noun}`,
      done: `${capital(noun)} ${name} created`,
      before: {},
      after,
      run: async (change) => {
        const answer = await run(change);
        this.made = await shownOnce(answer.body);
        return answer;
      },
    };
  }

  readonly #closeMade = (): void => {
    const { made } = this;
    this.made = null;
    if (made !== null) openRest([made.id]);
  };
}

customElements.define('gw-bearer-form', GwBearerForm);
