// Draws how many requests of a principal its limits refused in the last 24 hours.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, count, text } from '../../elements/element.ts';
import { call } from '../../api/http/call.ts';
import '../../elements/error.ts';
import { Resource } from '../../elements/resource.ts';
import { refusedByCaps } from '../../lib/access/budget.ts';
import { formatCount } from '../../lib/text/format.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

const bucketSeconds = 3_600;

class GwCapsRefused extends element({
  principalId: count<number>(),
  name: text(),
}) {
  static override styles = [base, record];
  readonly #points = new Resource(
    this,
    async (signal) => {
      const asked = { principal_id: this.principalId, bucket: bucketSeconds };
      return (await call('GET', '/admin/timeseries', { query: asked, signal })).body;
    },
    { pollMs: 15_000 },
  );

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('principalId') !== undefined) void this.#points.reload();
  }

  protected override render() {
    const { value: points, failure } = this.#points;
    return html`<div class="section">
        <h3>Refused in the last 24 hours</h3>
        <a
          href=${linkTo({
            screen: 'usage',
            rest: ['principal', this.name],
            query: { group: 'principal', range: '24h' },
          })}
          >View requests</a
        >
      </div>
      <gw-error retriable .failure=${failure} @gw-retry=${() => this.#points.reload()}></gw-error>
      ${points === undefined ? nothing : this.#counts(refusedByCaps(points))}`;
  }

  #counts({ rate, budget }: ReturnType<typeof refusedByCaps>) {
    return html`<dl>
      <dt>Budget</dt>
      <dd>${formatCount(budget, 'request')}</dd>
      <dt>Rate limits</dt>
      <dd>${formatCount(rate, 'request')}</dd>
    </dl>`;
  }
}

customElements.define('gw-caps-refused', GwCapsRefused);
