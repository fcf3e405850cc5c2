// Draws the first-run checklist.

import { css, html, nothing } from 'lit';

import { element, given } from '../../elements/element.ts';
import '../../elements/icon.ts';
import { nextStep } from '../../lib/observe/first-run.ts';
import type { Step } from '../../lib/observe/first-run.ts';
import { screenNamed } from '../../screens.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';

class GwChecklist extends element({
  steps: given<readonly Step[]>(),
}) {
  static override styles = [
    base,
    buttons,
    css`
      section {
        margin-bottom: var(--space-5);
        padding: var(--space-4) var(--space-5) var(--space-3);
        border: 1px solid var(--line);
        border-radius: var(--radius-l);
        background: var(--surface);
        box-shadow: var(--shadow-1);
      }

      li {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-3);
        padding: var(--space-2) 0;
        border-top: 1px solid var(--line);
      }

      ol {
        margin-top: var(--space-3);
      }

      .words {
        flex: 1 1 14rem;
        min-width: 0;
      }

      .mark {
        color: var(--text-3);
        font-size: 1.125rem;
      }

      .done .mark {
        color: var(--good);
      }

      .done h3 {
        color: var(--text-2);
        font-weight: 500;
      }
    `,
  ];

  protected override render() {
    const next = nextStep(this.steps);
    if (next === null) return nothing;
    const done = this.steps.filter(({ isDone }) => isDone).length;
    return html`<section aria-labelledby="heading">
      <h2 id="heading">Send your first request</h2>
      <p class="quiet">${done} of ${this.steps.length} done</p>
      <ol>
        ${this.steps.map((step) => this.#step(step, step === next))}
      </ol>
    </section>`;
  }

  #step({ title, about, action, screen, rest, isDone }: Step, isNext: boolean) {
    return html`<li class=${isDone ? 'done' : ''}>
      <gw-icon class="mark" name=${isDone ? 'circle-check' : 'circle-dashed'}></gw-icon>
      <div class="words">
        <h3>${title}<span class="only-read">${isDone ? ', done' : ', to do'}</span></h3>
        ${isDone ? nothing : html`<p class="quiet">${about}</p>`}
      </div>
      ${
        isDone || screenNamed(screen) === undefined
          ? nothing
          : html`<a class="button ${isNext ? 'primary' : ''}" href=${linkTo({ screen, rest })}
              >${action}</a
            >`
      }
    </li>`;
  }
}

customElements.define('gw-checklist', GwChecklist);
