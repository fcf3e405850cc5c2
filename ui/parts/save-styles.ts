// The parts of the dialog of a save.

import { css } from 'lit';

export const saveStyles = css`
  .parts {
    display: grid;
    gap: var(--space-4);
  }

  .other {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-2);
    margin-left: -0.625rem;
  }
`;
