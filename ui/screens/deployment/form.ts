// The form of the managed deployment: what may be changed of it here.

import { css, html } from 'lit';

import type { Deployment } from '../../api/deployment.ts';
import { draftOf, numberFields, policies } from '../../lib/deployment.ts';
import type { DeploymentDraft } from '../../lib/deployment.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { base } from '../../styles/base.ts';
import { changeSave } from './saves.ts';

export class GwDeploymentForm extends RecordForm<Deployment, DeploymentDraft> {
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

  protected override draftOf(deployment: Deployment): DeploymentDraft {
    return draftOf(deployment);
  }

  protected override saveOf(draft: DeploymentDraft, deployment: Deployment) {
    return changeSave(deployment, draft);
  }

  protected override fields(draft: DeploymentDraft) {
    const number = ({ name, label, hint }: (typeof numberFields)[number]) =>
      html`<gw-field
        type="number"
        name=${name}
        label=${label}
        hint=${hint}
        placeholder="default"
        .value=${draft[name]}
      ></gw-field>`;
    return html`<gw-field required mono name="image" label="Image" .value=${draft.image}></gw-field>
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
      <div class="pair">${numberFields.map(number)}</div>`;
  }
}

customElements.define('gw-deployment-form', GwDeploymentForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-deployment-form': GwDeploymentForm;
  }
}
