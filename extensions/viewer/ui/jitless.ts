// Stops schemas from compiling code, which the content security policy forbids. Must run before any schema is created.

import { config } from 'zod';

config({ jitless: true });
