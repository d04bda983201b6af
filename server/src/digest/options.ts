import type { OptionDeclarations } from '@holdfast/foundation'

/** Settings of the daily mail. */
export const digestOptions = {
  dailyMailEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether this server mails workspace members a daily digest. Members can unsubscribe.',
  },
  dailyMailHour: {
    type: 'integer',
    default: 7,
    min: 0,
    max: 23,
    description: 'Hour from which daily mails are sent, in the workspace’s time zone.',
  },
} satisfies OptionDeclarations
