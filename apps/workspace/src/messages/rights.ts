import { humanize } from '../lib/format.ts'

/** What a person reads where they may not write. */
export const rightMessages = {
  /** Of a whole record. */
  readOnly: (noun: string) => `You can read this ${noun}, but not change it.`,
  notGranted: 'Your role may not change it.',
  /** @param rules - names of policies, as their author called them */
  others: (rules: readonly string[]) => `Others can, by ${rules.map((rule) => `“${humanize(rule)}”`).join(' or ')}.`,
  nobody: 'No rule lets anyone change it.',
  forbidden: (rules: readonly string[]) =>
    `Not allowed by ${rules.map((rule) => `“${humanize(rule)}”`).join(' and ')}.`,
  notOffered: (choices: readonly string[], reason: string) => `Not offered: ${choices.join(', ')}. ${reason}`,
} as const
