import type { OptionDeclarations } from '@holdfast/foundation'
import { inspectOptions } from '../../config/command-options.ts'
import { projectOptions, serverOptions } from '../../config/options.ts'
import type { CommandInput } from '../command.ts'

/** One command of the command line: parsing, help, completion and dispatch all follow from this. */
export interface CommandEntry {
  /** Its words: `db reset`. */
  readonly words: string
  /** Its arguments in the notation of Commander: `<file>`, `[name]`, `[path...]`. */
  readonly argument?: string
  /** Heading in the list of commands; the first command of a group decides. */
  readonly group?: string
  readonly summary: string
  /** Shown in its help and offered by completion. */
  readonly options: OptionDeclarations
  /** Every option that it accepts: `options` and those that say where the server and its database are. */
  readonly accepts: OptionDeclarations
  /** Further spellings: flag → name of the option. */
  readonly spellings?: Readonly<Record<string, string>>
  /** Switches that are accepted and mean nothing here. */
  readonly ignored?: readonly string[]
  /** Runs when only the first word is given. */
  readonly isDefault?: true
  readonly examples?: readonly string[]
  /** @param commands - every command. @returns the exit code */
  readonly run: (input: CommandInput, commands: readonly CommandEntry[]) => Promise<number>
}

/** Returns some options of the server, in this order. */
export function pickServerOptions(...names: readonly (keyof typeof serverOptions)[]): OptionDeclarations {
  return Object.fromEntries(names.map((name) => [name, serverOptions[name]]))
}

/** Names the server or database that a command is about. */
export const PLACE = pickServerOptions('dataDir', 'configFile', 'databaseUrl', 'json')
/** … with the folder of its project. */
export const PROJECT = { ...PLACE, ...projectOptions }
const { url, serviceKey } = inspectOptions
/** Names a running server. */
export const RUNNING = { ...PLACE, url, serviceKey }
/** Options that most commands share: which server, database and project. */
export const COMMON_OPTIONS: OptionDeclarations = { ...RUNNING, ...projectOptions }

/** The ecosystem's CLI takes it; here the local database is meant anyway. */
export const LOCAL: readonly string[] = ['--local']
