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
  syncClassesMax: {
    type: 'integer',
    default: 10_000,
    min: 1,
    max: 1_000_000,
    description:
      'How many access classes a policy may have: combinations of values that it is asked for one by one. A table with more does not sync.',
  },
} satisfies OptionDeclarations
