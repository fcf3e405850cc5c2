// Defines the Deployment screen: the desired and actual state of the managed deployment, and its rollout.

import { css, html, nothing } from 'lit';

import { call } from '../api/http/call.ts';
import type { Deployment } from '../api/records.ts';
import '../elements/badge.ts';
import '../elements/empty.ts';
import '../elements/chart/kpi.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/table/table.ts';
import type { Column } from '../elements/table/table.ts';
import '../elements/time.ts';
import { fieldsBeside, rolloutOf, statusOf, toneOfCondition } from '../lib/observe/deployment.ts';
import type { Condition, Field } from '../lib/observe/deployment.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { linkTo } from '../state/location.ts';
import { base, buttons } from '../styles/base.ts';
import { panels } from '../styles/panels.ts';
import { deploymentForm } from './deployment/form.ts';

const text = {
  heading: 'Deployment',
  about: 'Desired and actual state of the managed deployment',
  empty: 'No operator manages this process',
  emptyAbout:
    'If the operator runs gw in a Kubernetes cluster, you can view and edit its image, replicas and autoscaling here.',
  toSettings: 'View startup settings',
  state: 'Desired and actual state',
  conditions: 'Conditions',
  edit: 'Edit deployment',
};

/** Null if no operator manages the process; the call would fail. */
async function loadDeployment(signal: AbortSignal): Promise<Deployment | null> {
  const { body: config } = await call('GET', '/admin/config', { signal });
  return config.deployment_managed
    ? (await call('GET', '/admin/deployment', { signal })).body
    : null;
}

const fieldColumns: readonly Column<Field>[] = [
  { id: 'field', label: 'Field', value: ({ label }) => label },
  {
    id: 'wanted',
    label: 'Wanted',
    value: ({ wanted }) => wanted,
    cell: ({ wanted }) => html`<code>${wanted}</code>`,
  },
  {
    id: 'live',
    label: 'Live',
    value: ({ live }) => live,
    cell: ({ live, tone }) => html`<gw-badge tone=${tone}>${live}</gw-badge>`,
  },
];

const conditionColumns: readonly Column<Condition>[] = [
  { id: 'type', label: 'Condition', value: ({ type }) => type },
  {
    id: 'status',
    label: 'Status',
    value: ({ status }) => status,
    cell: (one) => html`<gw-badge tone=${toneOfCondition(one)}>${one.status}</gw-badge>`,
  },
  { id: 'reason', label: 'Reason', value: ({ reason }) => reason },
  {
    id: 'since',
    label: 'Since',
    value: ({ since }) => since,
    cell: ({ since }) => html`<gw-time at=${since}></gw-time>`,
  },
  { id: 'message', label: 'Message', value: ({ message }) => message },
];

class ScreenDeployment extends RecordScreen {
  static override styles = [
    base,
    buttons,
    panels,
    css`
      h2 {
        margin: var(--space-6) 0 var(--space-2);
      }

      .about {
        margin-top: var(--space-2);
        color: var(--text-2);
      }
    `,
  ];
  protected override readonly screen = 'deployment';
  readonly #deployment = new Resource(this, loadDeployment, { pollMs: 10_000 });

  protected override reload(): Promise<void> {
    return this.#deployment.reload();
  }

  /** There is only one record; its form is at `/edit`. */
  protected override hasForm(): boolean {
    return this.rest[0] === 'edit' && this.isWritable();
  }

  protected override render() {
    const { value: deployment } = this.#deployment;
    const isThere = deployment !== undefined && deployment !== null;
    return html`<gw-page heading=${text.heading} about=${text.about}>
        ${
          isThere && this.isWritable()
            ? html`<a slot="actions" class="button primary" href=${this.link('edit')}
                ><gw-icon name="pencil"></gw-icon>Edit</a
              >`
            : nothing
        }
        ${failureNotice(this.#deployment)}
        ${loaded(this.#deployment, (one) => (one === null ? this.#unmanaged() : this.#all(one)))}
      </gw-page>
      ${isThere ? this.#form(deployment) : nothing} ${this.asking()}`;
  }

  #unmanaged() {
    return html`<gw-empty
      heading=${text.empty}
      icon="rocket"
      command="kubectl apply -k deploy/operator"
    >
      <span slot="about">${text.emptyAbout}</span>
      <a class="button" href=${linkTo({ screen: 'settings' })}>${text.toSettings}</a>
    </gw-empty>`;
  }

  #all(deployment: Deployment) {
    const status = statusOf(deployment);
    const { tone, word } = rolloutOf(status);
    const conditions = status?.conditions ?? [];
    return html`<div class="tiles">
        <gw-kpi label="Rollout" value=${word} tone=${tone === 'bad' ? 'bad' : 'plain'}
          >generation ${deployment.generation}</gw-kpi
        >
        <gw-kpi
          label="Proxies ready"
          value=${status?.proxy ?? 'no data'}
          tone=${status?.proxy === undefined || status.proxy === null ? 'none' : 'plain'}
          >of desired</gw-kpi
        >
        <gw-kpi
          label="Control planes ready"
          value=${status?.control ?? 'no data'}
          tone=${status?.control === undefined || status.control === null ? 'none' : 'plain'}
          >of desired</gw-kpi
        >
      </div>
      <h2>${text.state}</h2>
      ${this.#spec(deployment)}
      <h2>${text.conditions}</h2>
      <gw-table
        label=${text.conditions}
        noun="condition"
        .columns=${conditionColumns}
        .rows=${conditions}
        .keyOf=${({ type }: Condition) => type}
        .view=${tableView()}
        @gw-view=${keepView}
      ></gw-table>`;
  }

  #spec(deployment: Deployment) {
    const { namespace, name, proxy } = deployment;
    return html`<gw-table
        label=${text.state}
        noun="field"
        .columns=${fieldColumns}
        .rows=${fieldsBeside(deployment, statusOf(deployment))}
        .keyOf=${({ id }: Field) => id}
      ></gw-table>
      <p class="about">
        <code>${namespace}/${name}</code>, a service of type <code>${proxy.service_type}</code>,
        which you can change only in the cluster. The operator reports the progress of images and
        replicas. For the other fields it reports only whether all are in effect.
      </p>`;
  }

  #form(deployment: Deployment) {
    return this.drawer({
      heading: text.edit,
      content: this.hasForm() ? deploymentForm(deployment)(this.failure) : null,
    });
  }
}

customElements.define('gw-screen-deployment', ScreenDeployment);
