import { CONSOLE_COMMANDS } from './console.ts'
import { DATABASE_COMMANDS } from './database.ts'
import type { CommandEntry } from './entry.ts'
import { FUNCTION_COMMANDS } from './functions.ts'
import { MOVING_COMMANDS } from './moving.ts'
import { PROJECT_COMMANDS } from './project.ts'
import { SYNC_COMMANDS } from './sync.ts'

/** Summaries of two-word command groups. */
export const GROUP_SUMMARIES: Readonly<Record<string, string>> = {
  sync: 'Inspect what syncs to whom, and why',
  functions: 'Create, serve and observe edge functions',
  secrets: 'Manage the secrets of edge functions',
  console: 'Let operators into the console',
  keys: 'Manage API keys and signing keys',
  storage: 'Check stored files',
  migration: 'Create, list and apply migrations',
  db: 'Reset, push, pull and dump the database',
  test: 'Run database tests',
  gen: 'Generate types',
}

const HELP_COMMANDS: readonly CommandEntry[] = [
  {
    words: 'options',
    group: 'Help',
    argument: '[topic]',
    summary: 'List the options of the server, all or of one topic',
    options: {},
    accepts: { markdown: { type: 'boolean', default: false, description: 'Prints the reference page.' } },
    examples: ['holdfast options accounts'],
    run: async (input, commands) => (await import('../list-options.ts')).listOptions(input, commands),
  },
  {
    words: 'completion',
    argument: '<shell>',
    summary: 'Print the completion script of bash, zsh or fish',
    options: {},
    accepts: {},
    run: async (input, commands) => (await import('../completion.ts')).completion(input, commands),
  },
]

/** All commands in help order. */
export const COMMANDS: readonly CommandEntry[] = [
  ...PROJECT_COMMANDS,
  ...DATABASE_COMMANDS,
  ...SYNC_COMMANDS,
  ...FUNCTION_COMMANDS,
  ...CONSOLE_COMMANDS,
  ...MOVING_COMMANDS,
  ...HELP_COMMANDS,
]
