// The field of a form that takes examples: room to paste many prompts into.

import { css } from 'lit';

export const examplesField = {
  name: 'examples',
  label: 'Examples',
  type: 'textarea',
  placeholder: 'Paste prompts here, one a line',
} as const;

/** How they are told apart: the end of the field's hint. */
export const pastedHint = 'With blank lines between them, a prompt may have several lines';

export const examplesStyles = css`
  gw-field[name='examples'] {
    --text-height: 16rem;
  }
`;
