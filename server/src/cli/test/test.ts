import { relative, resolve } from 'node:path'
import { openQuietClient, readScriptRows } from '@holdfast/postgres'
import { testDeclarations, type TestConfig } from '../../config/options.ts'
import { readSettings, type CommandInput } from '../command.ts'
import { withProjectDatabase } from '../with-database.ts'
import { lendPgTap, pgTapMissing } from './pgtap.ts'
import { faultOf, readTap, type TapResult } from './read-tap.ts'
import { findTestFiles, readTestFile } from './test-files.ts'

const APPLICATION = 'holdfast test db'

/** Default folder of the ecosystem's CLI. */
const TESTS = 'supabase/tests'

/** Result of one file. */
export interface FileResult extends TapResult {
  readonly file: string
  /** Why it did not pass. */
  readonly fault: string | undefined
}

/**
 * `holdfast test db [path …]`: runs database tests, each file in a transaction that is rolled back.
 *
 * @returns the exit code: 1 if a file did not pass
 * @throws {HoldfastError} `tests_missing`, `pgtap_missing` and errors of opening the database
 */
export async function testDatabase(input: CommandInput): Promise<number> {
  const paths = input.words
  const config = readSettings(testDeclarations, input)
  const files = findTestFiles(paths.length === 0 ? [TESTS] : paths)
  const results = await withProjectDatabase({ ...config, dataDir: resolve(config.dataDir) }, (url) =>
    runAll(url, files, config, input),
  )
  const isPassed = results.every(({ fault }) => fault === undefined)
  input.out(config.json ? `${JSON.stringify({ passed: isPassed, files: results })}\n` : renderSummary(results))
  return isPassed ? 0 : 1
}

async function runAll(
  url: string,
  files: readonly string[],
  config: TestConfig,
  { out }: CommandInput,
): Promise<readonly FileResult[]> {
  const client = await openQuietClient(url, APPLICATION)
  try {
    const isOurs = await ensurePgTap(client, config)
    try {
      const width = Math.max(...files.map((file) => shown(file).length)) + 3
      const results: FileResult[] = []
      for (const file of files) {
        const result = await runFile(url, file)
        results.push(result)
        if (!config.json) out(renderFile(result, width))
      }
      return results
    } finally {
      // Restore the previous state, so that the next dump does not contain pgTAP.
      if (isOurs) await client.query('drop extension if exists pgtap')
    }
  } finally {
    await client.end().catch(() => undefined) // possibly broken already
  }
}

type Client = Awaited<ReturnType<typeof openQuietClient>>

/** @returns whether this call created the extension */
async function ensurePgTap(client: Client, { dataDir, databaseUrl, pgtap }: TestConfig): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>(
    `select extname as name from pg_extension where extname = 'pgtap'`,
  )
  if (rows.length > 0) return false
  const isAvailable = async (): Promise<boolean> =>
    (await client.query(`select from pg_available_extensions where name = 'pgtap'`)).rowCount === 1
  if (!(await isAvailable())) {
    if (databaseUrl !== undefined) throw pgTapMissing('The server of DATABASE_URL does not offer it.')
    lendPgTap(dataDir, pgtap)
    if (!(await isAvailable())) throw pgTapMissing('The Postgres that runs does not look into the data folder.')
  }
  await client.query('create extension pgtap with schema extensions')
  return true
}

/** Runs each file in its own session, so that settings do not leak between files. */
async function runFile(url: string, file: string): Promise<FileResult> {
  const lines: string[] = []
  let error: string | undefined
  let text = ''
  const client = await openQuietClient(url, APPLICATION)
  try {
    text = readTestFile(file)
    await client.query('begin')
    const onRow = (columns: readonly (string | null)[]): void =>
      void lines.push(
        ...columns
          .map((column) => column ?? '')
          .join('|')
          .split('\n'),
      )
    await readScriptRows({ client, text, onRow })
    await client.query('rollback')
  } catch (thrown) {
    error = describe(thrown, text)
  } finally {
    // Postgres rolls back the transaction of a lost session.
    await client.end().catch(() => undefined)
  }
  const result = readTap(lines)
  return { file: shown(file), ...result, fault: error ?? faultOf(result) }
}

function describe(error: unknown, text: string): string {
  const { message, position, detail } = error as {
    readonly message: string
    readonly position?: string
    readonly detail?: string
  }
  const line = position === undefined ? '' : ` (line ${text.slice(0, Number(position)).split('\n').length})`
  return `${message}${line}${detail === undefined ? '' : `: ${detail}`}`
}

function shown(file: string): string {
  const path = relative(process.cwd(), resolve(file))
  return path.startsWith('..') ? resolve(file) : path
}

function renderFile({ file, fault, planned, diagnostics }: FileResult, width: number): string {
  const name = `${`${file} `.padEnd(width, '.')} `
  if (fault === undefined) return `${name}${planned === 0 ? 'skipped' : 'ok'}\n`
  return `${name}${fault}\n${diagnostics.map((line) => `  ${line}\n`).join('')}`
}

function renderSummary(results: readonly FileResult[]): string {
  const failed = results.filter(({ fault }) => fault !== undefined)
  const tests = results.reduce((sum, { run }) => sum + run, 0)
  return [
    ...(failed.length === 0
      ? ['All tests successful.']
      : ['', 'Did not pass:', ...failed.map(({ file, fault }) => `  ${file}: ${fault}`)]),
    `Files=${results.length}, Tests=${tests}`,
    `Result: ${failed.length === 0 ? 'PASS' : 'FAIL'}`,
    '',
  ].join('\n')
}
