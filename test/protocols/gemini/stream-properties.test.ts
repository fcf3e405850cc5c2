// What holds of every stream holds of those of generateContent.

import { holdsOfStreams } from '../stream-properties.ts';
import { everything } from './events.ts';
import { streamed } from './given.ts';

holdsOfStreams(streamed, everything);
