// The screen of API keys, with which clients call the gateway.

import { html } from 'lit';

import { call, list } from '../api/http/call.ts';
import type { ApiKey, MadeApiKey } from '../api/records.ts';
import { Resource } from '../elements/resource.ts';
import { curlOf, environmentOf, gatewayAddress } from '../lib/access/key-draft.ts';
import { revocationOf } from '../parts/bearer-saves.ts';
import { BearerScreen, bearerColumns } from '../parts/bearer-screen.ts';
import type { People } from '../parts/bearer-screen.ts';
import type { MadeBearer } from '../parts/made-bearer.ts';
import { isReadOnly } from '../state/as-of.ts';
import { may } from '../state/session.ts';
import './keys/form.ts';

const unknownAddress = html`<p class="quiet">
  The address of the gateway is not known here. Start the control plane with
  <code>--gateway-url</code> to see a command that is ready to run.
</p>`;

class ScreenKeys extends BearerScreen<ApiKey, MadeApiKey> {
  protected override readonly screen = 'keys';
  protected override readonly kind = 'api_key';
  protected override readonly icon = 'key-round';
  protected override readonly words = {
    heading: 'API keys',
    about: 'Clients call models with them. Each belongs to one principal.',
    noun: 'key',
    revoked:
      'Requests with this key are refused from now on. A revoked key never works again. Its row and its usage stay.',
    empty: {
      about:
        'A key says who is calling: it belongs to a principal, whose roles decide which models it reaches. It is shown once.',
      body: { name: 'nightly', principal_id: 1 },
    },
  };
  protected override readonly columns = bearerColumns<ApiKey>();
  protected override readonly rows = new Resource(
    this,
    (signal) => list('/admin/keys', { signal }),
    { pollMs: 30_000 },
  );

  override isWritable(): boolean {
    return may('key:create') && !isReadOnly();
  }

  protected override mayRevoke(): boolean {
    return may('key:revoke');
  }

  protected override revocation(key: ApiKey) {
    return revocationOf(key, {
      noun: 'key',
      revoke: (id, change) => call('DELETE', '/admin/keys/{id}', { params: { id }, ...change }),
    });
  }

  protected override form({ principals, roles }: People) {
    return html`<gw-key-form
      .row=${null}
      .principals=${principals}
      .roles=${roles}
      first=${this.rest[1] ?? ''}
      .failure=${this.failure}
      @gw-made=${this.onMade}
    ></gw-key-form>`;
  }

  protected override async shownOnce({ id, name, key }: MadeApiKey): Promise<MadeBearer> {
    const { base, model } = await useOf().catch(() => ({ base: null, model: '' }));
    const made = { id, name, secret: key };
    if (base === null) return { ...made, uses: [], note: unknownAddress };
    const use = { base, key, model };
    return {
      ...made,
      uses: [
        { heading: 'First request', label: 'curl', text: curlOf(use) },
        { heading: 'OpenAI client', label: 'environment', text: environmentOf(use) },
      ],
    };
  }
}

/** What a first request with a new key needs to say. */
async function useOf(): Promise<Readonly<{ base: string | null; model: string }>> {
  const [{ body: config }, [model]] = await Promise.all([
    call('GET', '/admin/config'),
    list('/admin/frontend-models'),
  ]);
  return {
    base: gatewayAddress(config),
    model: model?.name ?? 'a-frontend-model',
  };
}

customElements.define('gw-screen-keys', ScreenKeys);
