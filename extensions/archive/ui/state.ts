// Shows how far the archive of usage is: where it is, what it has, and what is missing. Draws nothing without an archive.

import { LitElement, css, html, nothing } from 'lit';

import { call } from '../../../ui/api/http/call.ts';
import type { AnswerOf } from '../../../ui/api/http/routes.ts';
import { loaded } from '../../../ui/elements/loaded.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import '../../../ui/elements/time.ts';
import { formatBytes, formatCount } from '../../../ui/lib/text/format.ts';
import { facts } from '../../../ui/parts/facts.ts';
import type { Fact } from '../../../ui/parts/facts.ts';
import { base } from '../../../ui/styles/base.ts';
import { record } from '../../../ui/styles/record.ts';
import { problemsOf } from './problems.ts';

export type ArchiveStatus = AnswerOf<'GET', '/admin/usage/archive'>;

const text = {
  heading: 'Archive',
  place: 'Place',
  content: 'Content',
  last: 'Last hour',
  none: 'Nothing is archived yet.',
};

class GwUsageArchive extends LitElement {
  static override styles = [
    base,
    record,
    css`
      section {
        max-width: 60rem;
      }
    `,
  ];
  readonly #status = new Resource(
    this,
    async (signal) => (await call('GET', '/admin/usage/archive', { signal })).body,
    { pollMs: 60_000, pausable: true },
  );

  protected override render() {
    const { value } = this.#status;
    if (value === undefined || !(value.is_on || value.other_places.length > 0)) return nothing;
    return loaded(this.#status, (status) => this.#state(status));
  }

  #state(status: ArchiveStatus) {
    const { hours, segments, bytes, last_hour: last, place } = status;
    const content = `${formatCount(hours, 'hour')} in ${formatCount(segments, 'file')}, ${formatBytes(bytes)}`;
    const shown: readonly (Fact | null)[] = [
      [text.place, place ?? 'off'],
      [text.content, hours === 0 ? text.none : content],
      last === null ? null : [text.last, html`<gw-time at=${last}></gw-time>`],
    ];
    return html`<section aria-label=${text.heading}>
      <div class="section"><h2>${text.heading}</h2></div>
      ${problemsOf(status).map((problem) => html`<p class="notice warn">${problem}</p>`)}
      ${facts(shown)}
    </section>`;
  }
}

customElements.define('gw-usage-archive', GwUsageArchive);
