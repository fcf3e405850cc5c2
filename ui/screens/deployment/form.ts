// The form of the managed deployment: what may be changed of it here.

import { LitElement, css, html } from 'lit';

import type { Deployment } from '../../api/deployment.ts';
import type { ApiFailure } from '../../api/failure.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { draftOf, numberFields, policies } from '../../lib/deployment.ts';
import type { DeploymentDraft } from '../../lib/deployment.ts';
import { base } from '../../styles/base.ts';

/** `gw-draft` has the draft; `gw-cancel` is a change of mind. */
export class GwDeploymentForm extends LitElement {
  static override properties = {
    deployment: { attribute: false },
    failure: { attribute: false },
    draft: { state: true },
  };
  static override styles = [
    base,
    css`
      .pair {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr));
        gap: var(--space-4);
      }
    `,
  ];
  declare deployment: Deployment;
  declare failure: ApiFailure | null;
  declare draft: DeploymentDraft | null;

  constructor() {
    super();
    this.failure = null;
    this.draft = null;
  }

  #draft(): DeploymentDraft {
    return this.draft ?? draftOf(this.deployment);
  }

  protected override render() {
    const draft = this.#draft();
    const number = ({ name, label, hint }: (typeof numberFields)[number]) =>
      html`<gw-field
        type="number"
        name=${name}
        label=${label}
        hint=${hint}
        placeholder="default"
        .value=${draft[name]}
      ></gw-field>`;
    return html`<gw-form
      verb="Review change"
      .failure=${this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${() => this.dispatchEvent(new CustomEvent('gw-draft', { detail: draft }))}
    >
      <gw-field required mono name="image" label="Image" .value=${draft.image}></gw-field>
      <gw-field
        required
        type="select"
        name="policy"
        label="Balancing"
        hint="How a replica chooses among backends of one model"
        .value=${draft.policy}
        .choices=${policies.map((value) => ({ value, label: value }))}
      ></gw-field>
      <gw-field
        type="checkbox"
        name="autoscaling_enabled"
        label="Autoscaling"
        .checked=${draft.autoscaling_enabled}
      ></gw-field>
      <div class="pair">${numberFields.map(number)}</div>
    </gw-form>`;
  }

  readonly #onInput = ({ detail }: CustomEvent<FieldInput>): void => {
    const { name, value, checked } = detail;
    this.draft = { ...this.#draft(), [name]: name === 'autoscaling_enabled' ? checked : value };
  };
}

customElements.define('gw-deployment-form', GwDeploymentForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-deployment-form': GwDeploymentForm;
  }
}
