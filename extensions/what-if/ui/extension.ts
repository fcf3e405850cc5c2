// Registers the what-if extension: the effect on recent requests in previews.

import { html } from 'lit';

import type { UiExtension } from '../../../ui/extension.ts';

const routing: readonly string[] = [
  'frontend-model',
  'virtual-model',
  'rule',
  'model-pool',
  'prompt-class',
  'provider-models',
  'models',
  'backends',
  'fallback-model',
  'roles',
];

/** True if a call affects routing, access or cost. */
const concernsRequests = (path: string): boolean =>
  routing.some((noun) => path.startsWith(`/admin/${noun}`)) ||
  /^\/admin\/principals\/\d+\/roles/.test(path);

export const extension: UiExtension = {
  preview: {
    label: 'Preview impact on recent traffic',
    concerns: concernsRequests,
    draw: ({ proposal, known }) => {
      void import('./what-if.ts');
      return html`<gw-what-if .proposal=${proposal} .known=${known ?? null}></gw-what-if>`;
    },
  },
};
