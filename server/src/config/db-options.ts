import type { OptionDeclarations } from '@holdfast/foundation'

/** What `db reset` and `db push` take beside the settings of the server. */
export const dbOptions = {
  seed: {
    type: 'boolean',
    default: true,
    description: 'Whether `db reset` applies the seeds of the project.',
  },
  version: {
    type: 'string',
    description:
      'The version of the last migration that `db reset` applies. Default: all. The next start applies the rest.',
  },
  yes: {
    type: 'boolean',
    default: false,
    description: 'Whether `db reset` resets a server that others reach as well.',
  },
  dryRun: {
    type: 'boolean',
    default: false,
    description: 'Whether `db push` only says what it would apply.',
  },
  includeSeed: {
    type: 'boolean',
    default: false,
    description: 'Whether `db push` applies the seeds as well.',
  },
} satisfies OptionDeclarations
