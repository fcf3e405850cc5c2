// Room to paste many prompts into.

import { css } from 'lit';

export const examplesStyles = css`
  .examples {
    --text-height: 16rem;
  }
`;
