// One role: its permissions as verb and resource, and who holds it.

import { LitElement, css, html, nothing } from 'lit';

import '../../elements/copy.ts';
import '../../elements/icon.ts';
import { formatCount } from '../../lib/text/format.ts';
import { permissionText } from '../../lib/access/permissions.ts';
import type { Permission } from '../../lib/access/permissions.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import './grant.ts';
import type { HeldRole } from './load.ts';

const holdersMax = 50;

/** Tells by `gw-grant` and `gw-revoke`, with the permission. */
class GwRoleRecord extends LitElement {
  static override properties = { held: { attribute: false }, writable: { type: Boolean } };
  static override styles = [
    base,
    buttons,
    record,
    css`
      .holders {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-1) var(--space-3);
      }
    `,
  ];
  declare held: HeldRole;
  declare writable: boolean;

  constructor() {
    super();
    this.writable = false;
  }

  protected override render() {
    const { id, description, permissions } = this.held;
    return html`<dl>
        <dt>Description</dt>
        <dd>${description ?? html`<span class="quiet">none</span>`}</dd>
        <dt>Id</dt>
        <dd>${id}<gw-copy text=${String(id)} label="id"></gw-copy></dd>
      </dl>
      <div class="section"><h3>Permissions</h3></div>
      ${
        permissions.length === 0
          ? html`<p class="notice warn">
              It has no permission: who holds it may do nothing by it.
            </p>`
          : html`<ul class="rows" aria-label="Permissions">
              ${permissions.map((one) => this.#permission(one))}
            </ul>`
      }
      ${this.writable ? html`<gw-grant .held=${this.held} @gw-grant=${this.#pass}></gw-grant>` : nothing}
      ${this.#holders()}`;
  }

  #permission(permission: Permission) {
    const { verb, resource } = permission;
    return html`<li>
      <code>${verb}</code> ${resource === '*' ? nothing : html`<code>${resource}</code>`}
      ${
        this.writable
          ? html`<button
              type="button"
              class="plain icon end"
              aria-label="Revoke ${permissionText(permission)}"
              title="Revoke"
              @click=${() => this.#tell('gw-revoke', permission)}
            >
              <gw-icon name="x"></gw-icon>
            </button>`
          : nothing
      }
    </li>`;
  }

  #holders() {
    const { name, holders } = this.held;
    const more = holders.length - holdersMax;
    return html`<div class="section">
        <h3>
          Held by ${holders.length === 0 ? 'nobody' : formatCount(holders.length, 'principal')}
        </h3>
      </div>
      <ul class="holders">
        ${holders.slice(0, holdersMax).map(
          (one) =>
            html`<li>
              <a href=${linkTo({ screen: 'principals', rest: [one.id] })}>${one.name}</a>
            </li>`,
        )}
        ${
          more > 0
            ? html`<li>
                <a href=${linkTo({ screen: 'principals', query: { role: name } })}
                  >and ${more} more</a
                >
              </li>`
            : nothing
        }
      </ul>`;
  }

  readonly #pass = ({ detail }: CustomEvent<Permission>): void => this.#tell('gw-grant', detail);

  #tell(name: string, detail: Permission): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

customElements.define('gw-role-record', GwRoleRecord);
