// Runs the properties of all streams on streams of generateContent.

import { holdsOfStreams } from '../stream-properties.ts';
import { everything } from './events.ts';
import { streamed } from './given.ts';

holdsOfStreams(streamed, everything);
