// Draws the request as code that can be copied.

import { css, html } from 'lit';

import { element, given, state } from '../../../ui/elements/element.ts';
import '../../../ui/elements/copy.ts';
import { codeOf } from './code-of-request.ts';
import type { Code, CodeRequest } from './code-of-request.ts';
import { base } from '../../../ui/styles/base.ts';

class GwRequestCode extends element({
  request: given<CodeRequest>(),
  language: state<Code['label']>('curl'),
}) {
  static override styles = [
    base,
    css`
      nav {
        display: flex;
        gap: var(--space-1);
        margin: var(--space-2) 0;
      }

      [aria-pressed='true'] {
        background: var(--accent-soft);
      }

      .code {
        display: flex;
        align-items: flex-start;
        gap: var(--space-1);
        padding: var(--space-2) var(--space-3);
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
        background: var(--sunken);
      }

      pre {
        flex: 1;
        min-width: 0;
        margin: 0;
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }
    `,
  ];

  protected override render() {
    const codes = codeOf(this.request);
    const text = codes.find(({ label }) => label === this.language)?.text ?? '';
    return html`<details>
      <summary>Code</summary>
      <nav aria-label="Language">
        ${codes.map(
          ({ label }) =>
            html`<button
              type="button"
              aria-pressed=${label === this.language ? 'true' : 'false'}
              @click=${() => {
                this.language = label;
              }}
            >
              ${label}
            </button>`,
        )}
      </nav>
      <div class="code">
        <pre>${text}</pre>
        <gw-copy text=${text} label=${this.language}></gw-copy>
      </div>
    </details>`;
  }
}

customElements.define('gw-request-code', GwRequestCode);
