import { HoldfastError, type OptionDeclaration } from '@holdfast/foundation'
import { Command, CommanderError, Option } from 'commander'
import type { Flags } from '../config/load-config.ts'
import { flagName, variableName } from '../config/names.ts'
import { TOPICS } from '../config/options.ts'
import { describeOption, valueHint, wrap } from '../config/print-reference.ts'
import { VERSION } from '../version.ts'
import { COMMANDS, GROUP_SUMMARIES } from './commands/commands.ts'
import { type CommandEntry, COMMON_OPTIONS } from './commands/entry.ts'

/** A parsed command line: a command to run, or text to print. */
export type Parsed =
  | { readonly kind: 'command'; readonly entry: CommandEntry; readonly words: readonly string[]; readonly flags: Flags }
  | { readonly kind: 'text'; readonly text: string; readonly exitCode: number }

/**
 * Parses a command line with {@link COMMANDS}.
 *
 * @param argv - after the program name
 * @throws {HoldfastError} `command_unknown`, `option_unknown`, `option_invalid`, `argument_missing`, `argument_unexpected`
 */
export function parseCommandLine(argv: readonly string[]): Parsed {
  const given = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv.length === 0 ? ['--help'] : argv
  const addressed = findEntry(given)
  const spelled = addressed ? spellSwitches(given, addressed) : given
  let text = ''
  let found: Parsed | undefined
  const program = new Command('holdfast')
    .description('Offline-first backend: Supabase and PowerSync APIs on Postgres, in one process')
    .version(VERSION, '-v, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (part) => (text += part), writeErr: (part) => (text += part), outputError: () => {} })
    .addHelpText('after', '\nRun "holdfast <command> --help" for its options and examples.')
  for (const entry of COMMANDS) {
    const command = addCommand(program, entry)
    if (entry === addressed) addOptions(command, entry)
    command.action(() => {
      found = { kind: 'command', entry, words: command.args, flags: flagsOf(command, entry) }
    })
  }
  try {
    program.parse(spelled, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const { code, exitCode } = error
    if (text !== '' && /^commander\.(help|helpDisplayed|version)$/.test(code)) return { kind: 'text', text, exitCode }
    throw refusalOf(error, given, addressed)
  }
  if (!found) throw new Error('Commander ran no command and reported no error')
  return found
}

/** Returns the command named by the first words. */
function findEntry(argv: readonly string[]): CommandEntry | undefined {
  const [first = '', second = ''] = argv
  return (
    COMMANDS.find(({ words }) => words === `${first} ${second}`) ??
    COMMANDS.find(({ words, isDefault }) => words === first || (isDefault && words.startsWith(`${first} `)))
  )
}

function addCommand(program: Command, { words, argument, group, summary, isDefault }: CommandEntry): Command {
  const [first = '', second] = words.split(' ')
  if (group !== undefined) program.commandsGroup(`${group}:`)
  const parent =
    second === undefined
      ? program
      : (program.commands.find((one) => one.name() === first) ??
        program.command(first).description(GROUP_SUMMARIES[first] ?? ''))
  parent.helpCommand(false)
  const command = parent.command(second ?? first, isDefault ? { isDefault } : {}).description(summary)
  return argument === undefined ? command : command.argument(argument)
}

/** Adds options only to the command that runs, because the server has about 250. */
function addOptions(command: Command, entry: CommandEntry): void {
  const shown = new Set(Object.keys(entry.options))
  const order = [...shown, ...Object.keys(entry.accepts).filter((name) => !shown.has(name))]
  for (const name of order) {
    const declaration = entry.accepts[name]
    if (declaration) addOption(command, name, declaration, { entry, isShown: shown.has(name) })
  }
  for (const flag of entry.ignored ?? []) command.addOption(new Option(flag).hideHelp())
  const variables = Object.entries(entry.options).filter(([, { secret }]) => secret)
  if (variables.length > 0) {
    const lines = variables.map(([name, one]) => `  ${variableName(name, one).padEnd(22)}${wrap(one.description, 24)}`)
    command.addHelpText('after', `\nEnvironment:\n${lines.join('\n')}`)
  }
  if (entry.words === 'start')
    command.addHelpText(
      'after',
      `\nMore options by topic ("holdfast options <topic>"):\n  ${wrap(TOPICS.join(', '), 2)}`,
    )
  if (entry.examples) command.addHelpText('after', `\nExamples:\n${entry.examples.map((one) => `  ${one}`).join('\n')}`)
}

function addOption(
  command: Command,
  name: string,
  declaration: OptionDeclaration,
  { entry, isShown }: { readonly entry: CommandEntry; readonly isShown: boolean },
): void {
  const flag = flagName(name)
  const hint = valueHint(declaration)
  const spellings = Object.entries(entry.spellings ?? {}).flatMap(([one, of]) => (of === name ? [one] : []))
  const short = spellings.find((one) => !one.startsWith('--'))
  const isHidden = !isShown || declaration.secret === true
  const isOnByDefault = declaration.type === 'boolean' && declaration.default === true
  const option = new Option(`${short ? `${short}, ` : ''}${flag}${hint}`, describeOption(declaration))
  if (name in COMMON_OPTIONS && entry.words !== 'start') option.helpGroup('Common options:')
  command.addOption(option.hideHelp(isHidden || isOnByDefault))
  const more = spellings.filter((one) => one !== short)
  for (const one of more) command.addOption(new Option(`${one}${hint}`, declaration.description).hideHelp(isShown))
  if (declaration.type !== 'boolean') return
  for (const one of [flag, ...more]) {
    const negated = new Option(`--no-${one.slice(2)}`, describeOption(declaration))
    command.addOption(negated.hideHelp(isHidden || !isOnByDefault || one !== flag))
  }
}

/** Rewrites `--sample=false` as `--no-sample`, because Commander's switches take no values. */
function spellSwitches(argv: readonly string[], { accepts, spellings = {} }: CommandEntry): readonly string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  const names = new Map([
    ...Object.keys(accepts).map((name) => [flagName(name), name] as const),
    ...Object.entries(spellings),
  ])
  return argv.map((argument, index) => {
    const [, flag = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(argument) ?? []
    if (index >= end || accepts[names.get(flag) ?? '']?.type !== 'boolean') return argument
    if (/^(true|1|yes|on)$/i.test(value)) return flag
    if (/^(false|0|no|off)$/i.test(value)) return `--no-${flag.slice(2)}`
    throw new HoldfastError('option_invalid', 500, `${flag}: "${value}" is neither true nor false.`, {
      hint: `Write ${flag} or --no-${flag.slice(2)}.`,
    })
  })
}

/** Returns the given options by name. */
function flagsOf(command: Command, { accepts, spellings = {} }: CommandEntry): Flags {
  const names = new Map(
    Object.entries(spellings).map(([flag, name]) => [new Option(flag).attributeName(), name] as const),
  )
  return Object.fromEntries(
    Object.entries(command.opts<Record<string, string | boolean>>()).flatMap(([attribute, value]) => {
      const name = names.get(attribute) ?? attribute
      return name in accepts ? [[name, value]] : []
    }),
  )
}

const CODES: Readonly<Record<string, string>> = {
  'commander.unknownCommand': 'command_unknown',
  'commander.unknownOption': 'option_unknown',
  'commander.optionMissingArgument': 'option_invalid',
  'commander.missingArgument': 'argument_missing',
  'commander.excessArguments': 'argument_unexpected',
}

function refusalOf(error: CommanderError, argv: readonly string[], entry: CommandEntry | undefined): HoldfastError {
  const [first = '', suggestion] = error.message.replace(/^error: /, '').split('\n')
  const message = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.`
  const isOption = error.code !== 'commander.unknownCommand'
  const parent = argv.length > 1 && !isOption ? `${argv[0]} ` : ''
  const meant = /Did you mean (?:one of )?(.*)\?/.exec(suggestion ?? '')?.[1]?.split(', ') ?? []
  const shown = meant.map((name) => (isOption ? name : `"holdfast ${parent}${name}"`)).join(' or ')
  const hint = argv[0]?.startsWith('-')
    ? `Write "holdfast start ${argv.join(' ')}", or another command: "holdfast --help" lists them.`
    : shown !== ''
      ? `Did you mean ${shown}?`
      : `Run "holdfast ${entry ? `${entry.words} ` : parent}--help".`
  return new HoldfastError(CODES[error.code] ?? 'option_invalid', 500, message, { hint })
}
