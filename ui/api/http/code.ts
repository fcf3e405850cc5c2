// Loads code of parts of the page on first use.

import { codeFailure } from '../../lib/page/code-failure.ts';
import { isOneFile, uiBase } from '../../state/base.ts';
import { ApiFailure } from './failure.ts';

/** Rejects with code `other_build` if only a reload of the page helps. */
export async function loadCode(load: () => Promise<unknown>): Promise<void> {
  try {
    await load();
  } catch (cause) {
    throw await failureOfCode(cause);
  }
}

/** Browsers do not say why a file failed to load, so this checks what the server serves now. */
async function failureOfCode(cause: unknown): Promise<ApiFailure> {
  const response = isOneFile ? null : await fetch(uiBase).catch(() => null);
  const page = response?.ok === true ? await response.text().catch(() => null) : null;
  const { code, message } = codeFailure({ page, entry: entry() });
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

function entry(): string {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  return script?.src.split('/').at(-1) ?? '';
}
