// The policy of the page lets no text become code; schemas, which would compile themselves, are told so before they are made.

import { config } from 'zod';

config({ jitless: true });
