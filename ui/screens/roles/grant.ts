// Grants a permission: a verb and, for invocations, the resources that it covers.

import { css, html, nothing } from 'lit';

import { nouns, rankedNouns } from '../../../events/nouns.ts';
import { element, given, state } from '../../elements/element.ts';
import { list } from '../../api/http/call.ts';
import type { Role } from '../../api/records.ts';
import '../../elements/form/field.ts';
import type { FieldInput } from '../../elements/form/field.ts';
import { Resource } from '../../elements/resource.ts';
import { permissionText, prefixOf, resourceChoices, verbs } from '../../lib/access/permissions.ts';
import type { Permission } from '../../lib/access/permissions.ts';
import { base, buttons } from '../../styles/base.ts';

type Verb = Role['permissions'][number]['verb'];

/** Selects a name that does not exist yet. */
const other = 'other';

/** Dispatches `gw-grant` with the permission. */
class GwGrant extends element({
  held: given<Role>(),
  verb: state<Verb>('model:invoke'),
  resource: state<string>('model/*'),
  typed: state(''),
}) {
  static override styles = [
    base,
    buttons,
    css`
      .grant {
        display: flex;
        flex-wrap: wrap;
        align-items: flex-end;
        gap: var(--space-2);
        margin-top: var(--space-3);
      }

      gw-field {
        flex: 1 1 11rem;
      }

      p {
        margin-top: var(--space-2);
      }
    `,
  ];
  readonly #names = new Resource(this, (signal) =>
    Promise.all(
      rankedNouns
        .filter((noun) => nouns[noun].granted !== null)
        .map(async (noun) => {
          const records = await list(`/admin/${nouns[noun].paths[0]}`, { signal });
          return { prefix: nouns[noun].granted, names: records.map(({ name }) => name) };
        }),
    ),
  );

  #wanted(): Permission & Readonly<{ verb: Verb }> {
    const resource =
      this.resource === other ? `${prefixOf(this.verb)}${this.typed.trim()}` : this.resource;
    return { verb: this.verb, resource };
  }

  protected override render() {
    const prefix = prefixOf(this.verb);
    const wanted = this.#wanted();
    const text = permissionText(wanted);
    const isHeld = this.held.permissions.some((one) => permissionText(one) === text);
    const isBlank = this.resource === other && this.typed.trim() === '';
    return html`<div class="grant">
        <gw-field
          name="verb"
          label="Permission"
          type="select"
          required
          .choices=${verbs.map(({ verb, label }) => ({ value: verb, label }))}
          .value=${this.verb}
          @gw-input=${this.#onVerb}
        ></gw-field>
        ${prefix === null ? nothing : this.#resource(prefix)}
        <button
          type="button"
          ?disabled=${isHeld || isBlank}
          @click=${() => this.dispatchEvent(new CustomEvent('gw-grant', { detail: wanted }))}
        >
          Grant
        </button>
      </div>
      <p class="quiet">
        ${isHeld ? html`Already granted: <code>${text}</code>` : html`Grants <code>${text}</code>`}
      </p>`;
  }

  #resource(prefix: string) {
    const listed = (this.#names.value ?? []).filter((one) => one.prefix === prefix);
    const names = listed.flatMap((one) => one.names);
    return html`<gw-field
        name="resource"
        label="Resource"
        type="select"
        required
        .choices=${[...resourceChoices(prefix, names), { value: other, label: 'Another name…' }]}
        .value=${this.resource}
        @gw-input=${this.#onResource}
      ></gw-field>
      ${
        this.resource === other
          ? html`<gw-field
              name="typed"
              label="Name"
              required
              mono
              .value=${this.typed}
              @gw-input=${this.#onTyped}
            ></gw-field>`
          : nothing
      }`;
  }

  readonly #onVerb = ({ detail }: CustomEvent<FieldInput>): void => {
    const chosen = verbs.find(({ verb }) => verb === detail.value);
    if (chosen === undefined) return;
    this.verb = chosen.verb;
    this.resource = chosen.prefix === null ? '*' : `${chosen.prefix}*`;
  };

  readonly #onResource = ({ detail }: CustomEvent<FieldInput>): void => {
    this.resource = detail.value;
  };

  readonly #onTyped = ({ detail }: CustomEvent<FieldInput>): void => {
    this.typed = detail.value;
  };
}

customElements.define('gw-grant', GwGrant);
