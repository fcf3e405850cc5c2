// Draws a notification: its tone, text, action and outcome.

import { css, html, nothing } from 'lit';

import type { IconName } from '../../icons.ts';
import type { Notice } from '../../lib/page/notices.ts';
import '../icon.ts';

const icons: Readonly<Record<Notice['tone'], IconName>> = {
  good: 'circle-check',
  bad: 'circle-alert',
  plain: 'info',
};

export const noticeStyles = css`
  li > gw-icon {
    margin-top: 0.4375rem;
    color: var(--text-2);
  }

  .good > gw-icon {
    color: var(--good);
  }

  .bad > gw-icon {
    color: var(--bad);
  }

  .words {
    flex: 1;
    min-width: 0;
    padding-block: 0.25rem;
    overflow-wrap: anywhere;
  }

  .detail {
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .outcome {
    padding: 0.375rem var(--space-1);
    color: var(--text-2);
    font-size: var(--text-s);
    white-space: nowrap;
  }
`;

/** For a `<li>` with the tone as its class. `more` is shown below the text. */
export const noticeWords = (
  { tone, text, detail, action, outcome }: Notice,
  more: unknown = nothing,
) =>
  html`<gw-icon name=${icons[tone]}></gw-icon>
    <div class="words">
      ${text}${detail === '' ? nothing : html`<div class="detail">${detail}</div>`}${more}
    </div>
    ${
      action === null
        ? nothing
        : html`<button type="button" @click=${action.run}>${action.label}</button>`
    }
    ${outcome === '' ? nothing : html`<span class="outcome">${outcome}</span>`}`;
