import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

/** Settings of automations. */
export const automationsOptions = {
  automationsAllow: {
    type: 'list',
    default: [],
    description:
      'Targets of webhooks of automations besides public addresses: hosts (`crm.internal`, `localhost:3000`), addresses and networks (`10.0.0.0/8`), or `*`. Admins of workspaces choose the targets.',
  },
  automationsRunsPerHour: {
    type: 'integer',
    default: 500,
    min: 1,
    max: 100_000,
    description: 'Maximum runs of an automation within an hour. Above it, the automation stops.',
  },
  automationsWorkspaceRunsPerHour: {
    type: 'integer',
    default: 2_000,
    min: 1,
    max: 1_000_000,
    description: 'Maximum runs of all automations of a workspace within an hour. Above it, automations stop.',
  },
  automationsMailsPerDay: {
    type: 'integer',
    default: 200,
    min: 0,
    max: 1_000_000,
    description: 'Maximum mails of the automations of a workspace within a day; 0 forbids them.',
  },
  automationsOtherMailsPerDay: {
    type: 'integer',
    default: 20,
    min: 0,
    max: 1_000_000,
    description: 'How many of these mails go to addresses of no member, which owners enter; 0 forbids them.',
  },
  automationsCallsPerDay: {
    type: 'integer',
    default: 5_000,
    min: 0,
    max: 10_000_000,
    description: 'Maximum webhooks and functions of the automations of a workspace within a day; 0 forbids them.',
  },
  automationsAttemptsMax: {
    type: 'integer',
    default: 5,
    min: 1,
    max: 20,
    description:
      'Maximum attempts for a webhook of an automation without a response, or with 408, 429 or 500 and above. Delays are 1 s, 10 s, 1 min and 10 min.',
  },
  automationsWebhookSeconds: {
    type: 'integer',
    default: 10,
    min: 1,
    max: 300,
    description: 'Timeout in seconds of a webhook of an automation.',
  },
  automationsFunctionSeconds: {
    type: 'integer',
    default: 60,
    min: 1,
    max: 300,
    description: 'Timeout in seconds of a function that an automation runs.',
  },
} satisfies OptionDeclarations

export type AutomationsOptions = OptionValues<typeof automationsOptions>

/** Limits of the database that options set, by name. */
export function limitsOf(options: AutomationsOptions): Readonly<Record<string, number>> {
  return {
    'runs of an automation in an hour': options.automationsRunsPerHour,
    'runs of a workspace in an hour': options.automationsWorkspaceRunsPerHour,
    'mails of a workspace in a day': options.automationsMailsPerDay,
    'mails of a workspace to other addresses in a day': options.automationsOtherMailsPerDay,
    'calls of a workspace in a day': options.automationsCallsPerDay,
  }
}
