import type { OptionDeclarations } from '@holdfast/foundation'

/** Settings of the daily mail. */
export const digestOptions = {
  dailyMailEnabled: {
    type: 'boolean',
    default: true,
    description:
      'Whether this server writes members of workspaces a mail a day of what is new for them. Each of them may turn it off.',
  },
  dailyMailHour: {
    type: 'integer',
    default: 7,
    min: 0,
    max: 23,
    description: 'The hour from which the daily mail is written, in the time zone of the workspace.',
  },
} satisfies OptionDeclarations
