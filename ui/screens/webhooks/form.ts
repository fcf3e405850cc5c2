// Defines the form of a webhook, and shows the signing secret of a new one once.

import { html } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { calling } from '../../api/http/call.ts';
import type { Webhook } from '../../api/records.ts';
import {
  blankWebhook,
  formats,
  fromWebhook,
  shownWebhook,
  typeChoices,
  webhookBody,
  webhookChange,
} from '../../lib/notifications/webhook-draft.ts';
import type { WebhookDraft } from '../../lib/notifications/webhook-draft.ts';
import type { Wrong } from '../../lib/saves/draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import { additionOf, changeOf, seen, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';
import '../../parts/bearers/made.ts';
import type { MadeBearer } from '../../parts/bearers/made.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { openRest } from '../../state/location.ts';

const noun = 'webhook';

class GwWebhookForm extends RecordForm<Webhook | null, WebhookDraft> {
  static override properties: PropertyDeclarations = { made: { state: true } };
  declare made: MadeBearer | null;

  constructor() {
    super();
    this.made = null;
  }

  protected override render() {
    return html`${super.render()}
      <gw-made-bearer
        noun="signing secret"
        .made=${this.made}
        @gw-close=${this.#closeMade}
      ></gw-made-bearer>`;
  }

  protected override draftOf(row: Webhook | null): WebhookDraft {
    return row === null ? blankWebhook : fromWebhook(row);
  }

  protected override fields(
    { format, selection }: WebhookDraft,
    row: Webhook | null,
  ): readonly FormRow<WebhookDraft>[] {
    const kept = row === null ? '' : 'Empty keeps the present one. ';
    return [
      { name: 'name', label: 'Name', required: true },
      row === null
        ? { name: 'format', label: 'Format', type: 'select', required: true, choices: formats }
        : null,
      {
        name: 'url',
        label: 'Address',
        mono: true,
        required: row === null && format !== 'pagerduty',
        hint:
          format === 'pagerduty'
            ? `${kept}Only needed for another region than the US`
            : `${kept}gw shows only its origin, because the path is often secret`,
      },
      format === 'pagerduty'
        ? {
            name: 'routing_key',
            label: 'Integration key',
            type: 'password',
            required: row === null,
            hint: `${kept}From the Events API v2 integration of a service`,
          }
        : null,
      row === null && format === 'standard'
        ? {
            name: 'secret',
            label: 'Signing secret',
            type: 'password',
            hint: 'Empty: gw makes one and shows it once. A change request needs one',
          }
        : null,
      {
        name: 'selection',
        label: 'Notification types',
        type: 'select',
        required: true,
        choices: [
          { value: 'usual', label: 'All usual types' },
          { value: 'chosen', label: 'Selected types' },
        ],
      },
      selection === 'chosen'
        ? { name: 'types', label: 'Types', type: 'toggles', choices: typeChoices }
        : null,
      { name: 'description', label: 'Description' },
      { name: 'enabled', label: 'Enabled', type: 'checkbox' },
    ];
  }

  protected override saveOf(draft: WebhookDraft, row: Webhook | null): Save | Wrong {
    return whenRead(webhookBody(draft), (body) => {
      const { name } = body;
      if (row === null) {
        const create = calling('POST', '/admin/webhooks', {
          body: { ...body, format: draft.format },
        });
        return additionOf(
          { noun, name },
          {
            after: { ...shownWebhook(body), format: draft.format },
            // The form stays open below the dialog with the secret.
            opens: (answered) => (this.made === null ? theMade(answered) : ['new']),
            run: async (change) => {
              const answer = await create(change);
              const { id, secret } = answer.body;
              this.made = secret === null ? null : { id, name, secret, uses: [] };
              return answer;
            },
          },
        );
      }
      const changed = webhookChange(body, row);
      return changeOf(
        { noun, name: row.name },
        {
          before: { ...row, address: row.origin },
          after: shownWebhook(changed),
          run: calling('PATCH', '/admin/webhooks/{id}', { ...seen(row), body: changed }),
        },
      );
    });
  }

  readonly #closeMade = (): void => {
    const { made } = this;
    this.made = null;
    if (made !== null) openRest([made.id]);
  };
}

customElements.define('gw-webhook-form', GwWebhookForm);
