// Styles of the hint and the error below a field.

import { css } from 'lit';

export const hints = css`
  .hint,
  .error {
    margin-top: 0.1875rem;
    color: var(--text-2);
    font-size: var(--text-s);
    line-height: 1.4;
  }

  .error {
    color: var(--bad);
    overflow-wrap: anywhere;
  }
`;
