import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseDotenv } from '@holdfast/foundation'
import { editEnv } from './env-file.ts'
import { parseCommandLine } from '../program.ts'
import { listSecrets, setSecrets, unsetSecrets } from './secrets.ts'

let folder: string
const file = (): string => join(folder, '.env')

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'holdfast-secrets-'))))
afterEach(() => rmSync(folder, { recursive: true }))

function run(line: readonly string[], standardInput = ''): string {
  let text = ''
  const out = (part: string): void => void (text += part)
  const parsed = parseCommandLine(['secrets', ...line])
  if (parsed.kind !== 'command') throw new Error(`secrets ${line.join(' ')} printed ${parsed.text}`)
  const { words, flags } = parsed
  const input = { words, flags, env: { HOLDFAST_FUNCTIONS_DIR: folder }, out, err: () => undefined }
  if (line[0] === 'set') setSecrets(input, () => standardInput)
  else if (line[0] === 'unset') unsetSecrets(input)
  else listSecrets(input)
  return text
}

describe('holdfast secrets', () => {
  test('sets, lists and removes what functions read', () => {
    run(['set', 'MAIL_KEY=a b', 'OTHER=1', '--json'])
    expect(parseDotenv(readFileSync(file(), 'utf8'))).toEqual({ MAIL_KEY: 'a b', OTHER: '1' })
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    run(['set', 'OTHER=2'])
    const listed = JSON.parse(run(['list', '--json'])) as readonly { readonly name: string; readonly digest: string }[]
    expect(listed.map(({ name }) => name)).toEqual(['MAIL_KEY', 'OTHER'])
    // echo -n 2 | sha256sum
    expect(listed[1]?.digest).toBe('d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35')
    expect(run(['list'])).not.toContain('a b')
    run(['unset', 'OTHER'])
    expect(parseDotenv(readFileSync(file(), 'utf8'))).toEqual({ MAIL_KEY: 'a b' })
  })

  test('takes a value from standard input, where no one sees it, and many from a file', () => {
    run(['set', 'MAIL_KEY'], 'from a pipe\n')
    const other = join(folder, 'other.env')
    writeFileSync(other, 'A=1\nB="two\nlines"\n')
    run(['set', '--env-file', other, '--json'])
    expect(parseDotenv(readFileSync(file(), 'utf8'))).toEqual({ MAIL_KEY: 'from a pipe', A: '1', B: 'two\nlines' })
  })

  test('changes a file with a byte order mark as any other', () => {
    writeFileSync(file(), '\uFEFFMAIL_KEY=old\r\nOTHER=1\r\n')
    run(['set', 'MAIL_KEY=new'])
    expect(parseDotenv(readFileSync(file(), 'utf8'))).toEqual({ MAIL_KEY: 'new', OTHER: '1' })
  })

  test.each([
    [['set', 'SUPABASE_URL=x'], /reserved/],
    [['set', '1st=x'], /cannot be the name/],
    [['set', 'A', 'B'], /one secret/],
    [['set'], /nothing to change/],
    [['unset', 'MISSING'], /no secret MISSING/],
    [['set', '--env-file=/nowhere/.env'], /does not exist/],
    [['sett', 'A=1'], /Unknown command/],
  ])('refuses %j', (argv, message) => {
    expect(() => run(argv)).toThrow(message)
  })
})

describe('a file of secrets', () => {
  const change = (text: string, changes: Readonly<Record<string, string | undefined>>): string =>
    editEnv(text, new Map(Object.entries(changes)))

  test('keeps its comments and other lines', () => {
    const text = '# Mails\nexport MAIL_KEY = "x" # of the test account\n\nOTHER=1'
    expect(change(text, { MAIL_KEY: 'y' })).toBe('# Mails\n\nOTHER=1\nMAIL_KEY=y\n')
    expect(change('A="one\nB=two"\nC=3\n', { A: undefined })).toBe('C=3\n')
    expect(change('A: "a \\"quote\\"\nB=two"\nC=3\n', { A: undefined })).toBe('C=3\n')
  })

  test.each([
    '',
    ' spaces ',
    'a#b',
    "it's",
    'say "x"',
    'back\\nslash',
    'two\nlines',
    '`',
    '$HOME',
    '-----BEGIN KEY-----\nMIIB=\n-----END KEY-----\n',
    `'"\`\\n\r\n$A`,
    `it's \\`,
  ])('holds %j', (value) => {
    expect(parseDotenv(change('A=1\n', { B: value }))).toEqual({ A: '1', B: value })
  })

  test('is left alone where a change would change something else', () => {
    // Looks like a definition, but is part of another value.
    expect(() => change("A='first\nB=second\n'\n", { B: '1' })).toThrow(
      expect.objectContaining({ code: 'secrets_file_invalid' }),
    )
  })
})
