// What stands below a field: what it is for, or what is wrong with it.

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
