// The screen of admin tokens, with which programs such as CI jobs and Terraform call the admin API.

import { html } from 'lit';

import { call, list } from '../api/http/call.ts';
import type { AdminToken, MadeAdminToken } from '../api/records.ts';
import { Resource } from '../elements/resource.ts';
import { changeEnvironment, sessionCurl } from '../lib/access/token-draft.ts';
import { revocationOf } from '../parts/bearer-saves.ts';
import { BearerScreen, bearerColumns } from '../parts/bearer-screen.ts';
import type { People } from '../parts/bearer-screen.ts';
import type { MadeBearer } from '../parts/made-bearer.ts';
import { apiBase } from '../state/base.ts';
import { may } from '../state/session.ts';
import './tokens/form.ts';

class ScreenTokens extends BearerScreen<AdminToken, MadeAdminToken> {
  protected override readonly screen = 'tokens';
  protected override readonly kind = 'admin_token';
  protected override readonly icon = 'terminal';
  protected override readonly words = {
    heading: 'Admin tokens',
    about: 'Programs call the admin API with them. Each belongs to one principal.',
    noun: 'token',
    revoked:
      'Requests with this token are refused from now on, and no restore brings it back. Its row stays.',
    empty: {
      about:
        'CI jobs and Terraform call the admin API with a token. It carries permissions of a principal, always expires and is shown once.',
      body: { name: 'terraform', principal_id: 1, permissions: ['usage:read'] },
    },
  };
  protected override readonly columns = bearerColumns<AdminToken>([
    {
      id: 'permissions',
      label: 'Permissions',
      value: ({ permissions }) => permissions.join(', '),
      cell: ({ permissions }) => html`<code>${permissions.join(', ')}</code>`,
    },
  ]);
  protected override readonly rows = new Resource(
    this,
    (signal) => list('/admin/tokens', { signal }),
    { pollMs: 30_000 },
  );

  protected override mayRevoke(): boolean {
    return may('config:write');
  }

  protected override revocation(token: AdminToken) {
    return revocationOf(token, {
      noun: 'token',
      revoke: (id, change) => call('DELETE', '/admin/tokens/{id}', { params: { id }, ...change }),
    });
  }

  protected override form({ principals, roles }: People) {
    return html`<gw-token-form
      .row=${null}
      .principals=${principals}
      .roles=${roles}
      first=${this.rest[1] ?? ''}
      .failure=${this.failure}
      @gw-made=${this.onMade}
    ></gw-token-form>`;
  }

  protected override async shownOnce({ id, name, token }: MadeAdminToken): Promise<MadeBearer> {
    const origin = new URL(apiBase, globalThis.location.href).href.replace(/\/$/, '');
    const use = { origin, token };
    return {
      id,
      name,
      secret: token,
      uses: [
        { heading: 'First request', label: 'curl', text: sessionCurl(use) },
        { heading: 'gw change', label: 'environment', text: changeEnvironment(use) },
      ],
    };
  }
}

customElements.define('gw-screen-tokens', ScreenTokens);
