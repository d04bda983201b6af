import { describe, expect, test } from 'vitest'
import { flagName } from '../config/names.ts'
import { COMMANDS } from './commands/commands.ts'
import type { CommandEntry } from './commands/entry.ts'
import { type Parsed, parseCommandLine } from './program.ts'

/** Terminal height in lines. */
const SCREEN_LINES = 50

const lineOf = (text: string): readonly string[] => text.split(' ')

function parse(
  text: string,
): Omit<Extract<Parsed, { kind: 'command' }>, 'entry' | 'kind'> & { readonly command: string } {
  const parsed = parseCommandLine(lineOf(text))
  if (parsed.kind !== 'command') throw new Error(`${text} printed ${parsed.text}`)
  const { entry, words, flags } = parsed
  return { command: entry.words, words, flags }
}

function print(...argv: readonly string[]): string {
  const parsed = parseCommandLine(argv)
  if (parsed.kind !== 'text') throw new Error(`${argv.join(' ')} runs ${parsed.entry.words}`)
  return parsed.text
}

describe('a command line', () => {
  test.each([
    ['start --sample --port 0', 'start', [], { sample: true, port: '0' }],
    ['start --sample=false --no-docs', 'start', [], { sample: false, docs: false }],
    ['start --data-dir -odd', 'start', [], { dataDir: '-odd' }],
    ['migration new add_notes --json', 'migration new', ['add_notes'], { json: true }],
    ['db reset --version 2026 --no-seed --local', 'db reset', [], { version: '2026', seed: false }],
    [
      'db dump -f x.sql -s a,b --db-url=postgres://x',
      'db dump',
      [],
      { file: 'x.sql', schema: 'a,b', databaseUrl: 'postgres://x' },
    ],
    ['dump --data-only', 'dump', [], { dataOnly: true }],
    ['dev --types t.ts -- vite --port 3', 'dev', ['vite', '--port', '3'], { types: 't.ts' }],
    ['sync check a.sql b.sql --apply', 'sync check', ['a.sql', 'b.sql'], { apply: true }],
    ['keys', 'keys list', [], {}],
    ['keys --show', 'keys list', [], { show: true }],
    ['keys rotate kid --at-once', 'keys rotate', ['kid'], { atOnce: true }],
    ['functions logs hello -f -n 5', 'functions logs', ['hello'], { follow: true, lines: '5' }],
    [
      'functions serve --env-file .env --no-verify-jwt',
      'functions serve',
      [],
      { functionsEnvFile: '.env', functionsVerifyJwt: false },
    ],
    ['secrets set --env-file .env A=1 B', 'secrets set', ['A=1', 'B'], { envFile: '.env' }],
    ['status -o env', 'status', [], { output: 'env' }],
    ['gen types powersync -s public', 'gen types', ['powersync'], { schema: 'public' }],
  ])('%s', (text, command, words, flags) => {
    expect(parse(text)).toEqual({ command, words, flags })
  })

  test.each(COMMANDS.map((entry) => [entry.words, entry] as const))(
    '%s understands all of its options by their names',
    (words, entry: CommandEntry) => {
      const options = Object.entries(entry.accepts)
      const given = options.map(([name, { type }]) => `${flagName(name)}${type === 'boolean' ? '' : '=x'}`)
      const argument = /^<.*>$/.test(entry.argument ?? '') ? ['x'] : []
      const parsed = parseCommandLine([...lineOf(words), ...argument, ...given])
      expect(parsed).toMatchObject({ kind: 'command', entry: { words } })
      expect(parsed.kind === 'command' && parsed.flags).toEqual(
        Object.fromEntries(options.map(([name, { type }]) => [name, type === 'boolean' ? true : 'x'])),
      )
    },
  )

  test.each([
    ['strat', 'command_unknown', 'Did you mean "holdfast start"?'],
    ['db rest', 'command_unknown', 'Did you mean "holdfast db reset"?'],
    ['sync nonsense', 'command_unknown', 'Run "holdfast sync --help".'],
    ['start --prot 1', 'option_unknown', 'Did you mean --port?'],
    ['start --nonsense-at-all', 'option_unknown', 'Run "holdfast start --help".'],
    ['start extra', 'argument_unexpected', 'Run "holdfast start --help".'],
    ['start --port', 'option_invalid', 'Run "holdfast start --help".'],
    ['start --sample=maybe', 'option_invalid', 'Write --sample or --no-sample.'],
    ['backup', 'argument_missing', 'Run "holdfast backup --help".'],
    [
      '--port 1',
      'option_unknown',
      'Write "holdfast start --port 1", or another command: "holdfast --help" lists them.',
    ],
  ])('%s is refused with what to do', (text, code, hint) => {
    expect(() => parseCommandLine(lineOf(text))).toThrow(expect.objectContaining({ code, hint }))
  })
})

describe('help', () => {
  test('lists all commands without arguments, and for help and --help', () => {
    expect(print()).toBe(print('--help'))
    expect(print('help')).toBe(print('--help'))
    const words = new Set(COMMANDS.map((entry) => entry.words.split(' ')[0]))
    for (const first of words) expect(print()).toMatch(new RegExp(`^  ${first}\\b`, 'm'))
  })

  test.each(COMMANDS.map((entry) => [entry.words, entry] as const))(
    'of %s fits a screen and shows its options',
    (words, entry: CommandEntry) => {
      const text = print(...lineOf(words), '--help')
      expect(print('help', ...lineOf(words))).toBe(text)
      expect(text.split('\n').length).toBeLessThanOrEqual(SCREEN_LINES)
      for (const [name, { secret }] of Object.entries(entry.options)) {
        const flag = flagName(name).slice(2)
        if (secret) expect(text).not.toContain(`--${flag}`)
        else expect(text).toMatch(new RegExp(`--(no-)?${flag}\\b`))
      }
      for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(120)
    },
  )

  test('of a group lists its commands', () => {
    expect(print('db', '--help')).toMatch(/reset[\s\S]*push[\s\S]*pull[\s\S]*dump/)
  })

  test('a group alone is an error that shows them', () => {
    expect(parseCommandLine(['db'])).toMatchObject({ kind: 'text', exitCode: 1 })
  })
})
