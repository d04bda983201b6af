import type { OptionDeclarations } from '@holdfast/foundation'

/** Settings of sync, as command-line options, environment variables and keys of the config file. */
export const syncOptions = {
  syncConnectionsMax: {
    type: 'integer',
    default: 20_000,
    min: 1,
    max: 1_000_000,
    description: 'How many devices may be connected for sync at once. Further ones get 429 and try again.',
  },
  syncStreamsPerPersonMax: {
    type: 'integer',
    default: 100,
    min: 1,
    max: 1_000_000,
    description:
      'How many streams one person may have open, at most a quarter of `syncConnectionsMax`. Further devices get 429 and try again; a device that connects again takes the place of its older stream.',
  },
  syncClassesMax: {
    type: 'integer',
    default: 10_000,
    min: 1,
    max: 1_000_000,
    description:
      'How many access classes a policy may have: combinations of values that it is asked for one by one. Rows of the newest above it are left out; a table that has more when its policy is first followed does not sync.',
  },
  syncClassesPerPersonMax: {
    type: 'integer',
    default: 2_500,
    min: 1,
    max: 1_000_000,
    description:
      'How many of the access classes of a policy one person may bring by what they write, so that no person fills the list for the others. Rows of their further ones are left out, and they are told.',
  },
  syncCompress: {
    type: 'boolean',
    default: true,
    description:
      'Whether streams are compressed with gzip for devices that take it. Off saves time where the network is faster than that.',
  },
  syncCompactIntervalS: {
    type: 'integer',
    default: 60,
    min: 0,
    max: 86_400,
    description:
      'Seconds between two rounds in which the operation log drops what has been superseded. 0: never; the log then grows with every change.',
  },
  syncCompactOpsPerSecond: {
    type: 'integer',
    default: 20_000,
    min: 100,
    max: 10_000_000,
    description:
      'How many operations a round drops per second at most, so that reading and writing the log have the disk.',
  },
  syncUploadsPerPersonMax: {
    type: 'integer',
    default: 10,
    min: 1,
    max: 10_000,
    description:
      'How many uploads one person may have under way at once: each device sends one at a time. Further ones get 429 and are sent again.',
  },
  syncUploadsMax: {
    type: 'integer',
    default: 500,
    min: 1,
    max: 100_000,
    description:
      'How many uploads may be under way at once, most of them waiting for a connection. Further ones get 503 and are sent again.',
  },
  syncUploadConnectionsMax: {
    type: 'integer',
    default: 6,
    min: 1,
    max: 500,
    description:
      'How many of the requestConnectionsMax connections uploads hold at most, so that requests and streams always find some.',
  },
  syncUploadStatementTimeoutMs: {
    type: 'integer',
    default: 8000,
    min: 0,
    max: 3_600_000,
    description:
      'How long one statement of an upload may run, in milliseconds, unless the role has its own statement_timeout; 0 for no bound.',
  },
  syncUploadTimeoutMs: {
    type: 'integer',
    default: 30_000,
    min: 100,
    max: 3_600_000,
    description:
      'How long one uploaded transaction may hold a connection and its locks, in milliseconds. Then it is rolled back and sent again.',
  },
} satisfies OptionDeclarations
