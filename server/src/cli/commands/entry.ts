import type { OptionDeclarations } from '@holdfast/foundation'
import { inspectOptions } from '../../config/command-options.ts'
import { projectOptions, serverOptions } from '../../config/options.ts'
import type { CommandInput } from '../command.ts'

/** A command: defines parsing, help, completion and dispatch. */
export interface CommandEntry {
  /** Its words: `db reset`. */
  readonly words: string
  /** Arguments in Commander's notation: `<file>`, `[name]`, `[path...]`. */
  readonly argument?: string
  /** Heading in the command list, taken from the first command of a group. */
  readonly group?: string
  readonly summary: string
  /** Shown in help and completion. */
  readonly options: OptionDeclarations
  /** All accepted options: `options` plus those locating the server and database. */
  readonly accepts: OptionDeclarations
  /** Aliases: flag → option name. */
  readonly spellings?: Readonly<Record<string, string>>
  /** Accepted switches without effect. */
  readonly ignored?: readonly string[]
  /** Runs if only the first word is given. */
  readonly isDefault?: true
  readonly examples?: readonly string[]
  /** @param commands - all commands. @returns the exit code */
  readonly run: (input: CommandInput, commands: readonly CommandEntry[]) => Promise<number>
}

/** Returns some server options in this order. */
export function pickServerOptions(...names: readonly (keyof typeof serverOptions)[]): OptionDeclarations {
  return Object.fromEntries(names.map((name) => [name, serverOptions[name]]))
}

/** Options locating a server or database. */
export const PLACE = pickServerOptions('dataDir', 'configFile', 'databaseUrl', 'json')
/** … plus the project folder. */
export const PROJECT = { ...PLACE, ...projectOptions }
const { url, serviceKey } = inspectOptions
/** Options locating a running server. */
export const RUNNING = { ...PLACE, url, serviceKey }
/** Options shared by most commands: server, database and project. */
export const COMMON_OPTIONS: OptionDeclarations = { ...RUNNING, ...projectOptions }

/** Accepted for compatibility; commands are local anyway. */
export const LOCAL: readonly string[] = ['--local']
