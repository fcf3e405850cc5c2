// The code of a part of the page, which is asked for when the part is first shown.

import { codeTrouble } from '../../lib/page/code-trouble.ts';
import { isOneFile, uiBase } from '../../state/base.ts';
import { ApiFailure } from './failure.ts';

/** Rejects with an ApiFailure; its code is `other_build` where nothing but a reload of the page helps. */
export async function loadCode(load: () => Promise<unknown>): Promise<void> {
  try {
    await load();
  } catch (cause) {
    throw await failureOfCode(cause);
  }
}

/** A browser does not say why a file did not come: what is served now does. */
async function failureOfCode(cause: unknown): Promise<ApiFailure> {
  const response = isOneFile ? null : await fetch(uiBase).catch(() => null);
  const page = response?.ok === true ? await response.text().catch(() => null) : null;
  const { code, message } = codeTrouble({ page, entry: entry() });
  return new ApiFailure(
    message,
    {
      status: response?.status ?? 0,
      code,
      param: null,
      requestId: response?.headers.get('x-request-id') ?? null,
      retryAfterSeconds: null,
    },
    { cause },
  );
}

/** The name of the file that this page began with. */
function entry(): string {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  return script?.src.split('/').at(-1) ?? '';
}
