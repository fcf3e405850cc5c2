// Adds single sign-on to the management UI: the button of the login screen, and the reason of the
// last failure.

import { html, nothing } from 'lit';

import { ApiFailure } from '../../../ui/api/http/failure.ts';
import type { UiExtension } from '../../../ui/extension.ts';
import { apiBase } from '../../../ui/state/base.ts';
import { signInAddress, signInFailed } from './sign-in.ts';

export const extension: UiExtension = {
  signIn: ({ label, place }) => {
    const failed = place === null ? null : signInFailed(place, label);
    return html`<gw-error .failure=${failed === null ? null : told(failed)}></gw-error>
      <a
        class="button primary"
        href=${signInAddress(apiBase, place)}
        target=${place === null ? '_blank' : nothing}
        >Sign in with ${label}</a
      >`;
  },
};

type Told = NonNullable<ReturnType<typeof signInFailed>>;

const told = ({ message, requestId }: Told): ApiFailure =>
  new ApiFailure(message, {
    status: 0,
    code: 'sign_in',
    param: null,
    requestId,
    retryAfterSeconds: null,
  });
