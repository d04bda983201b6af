import { consoleCommandOptions } from '../../config/command-options.ts'
import { consoleDeclarations } from '../../config/options.ts'
import { type CommandEntry, PLACE } from './entry.ts'

export const CONSOLE_COMMANDS: readonly CommandEntry[] = [
  {
    words: 'console invite',
    group: 'Console',
    argument: '<email>',
    summary: 'Create the link by which an operator of the console creates an account',
    options: { ...consoleCommandOptions, ...PLACE },
    accepts: consoleDeclarations,
    examples: ['holdfast console invite dana@example.com --role=owner'],
    run: async (input) => (await import('../console.ts')).inviteOperator(input),
  },
  {
    words: 'console recover',
    argument: '<email>',
    summary: 'Create the link by which an operator sets a new password; removes their second factor',
    options: PLACE,
    accepts: consoleDeclarations,
    run: async (input) => (await import('../console.ts')).recoverOperator(input),
  },
]
