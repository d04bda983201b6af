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
      'How many access classes a policy may have: combinations of values that it is asked for one by one. A table with more does not sync.',
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
} satisfies OptionDeclarations
