import { resolve } from 'node:path'
import { errorMessage, HoldfastError, silentLogger } from '@holdfast/foundation'
import { compileSyncPlan, readPolicyInput, splitStatements, type PolicyInput, type SyncPlan } from '@holdfast/policy'
import {
  copyIn,
  createPool,
  findRunningCluster,
  readCatalog,
  sql,
  sqlstateOf,
  type Transaction,
  withinTransaction,
} from '@holdfast/postgres'
import { exposedSchemasOf, restOptions, type RestOptions } from '@holdfast/rest'
import type { InspectConfig } from '../../config/options.ts'
import { readPsqlPieces } from '../../project/psql-pieces.ts'
import { readSqlFile } from '../../project/run-file.ts'
import { problemOfStream, type CheckProblem, type CheckReport } from './render-check.ts'

/** Lock timeout in ms of a statement, because others queue behind it. */
const LOCK_TIMEOUT_MS = 5_000

/**
 * Runs SQL files in a transaction, compiles the resulting policies and streams, and rolls back; with `apply` commits if everything can be compiled. Connects as
 * the project, for realistic rights.
 *
 * @throws {HoldfastError} `statement_failed` with file and line, `statement_not_checked`, `server_unreachable`, `file_unreadable`, errors of {@link
 * readPsqlPieces}
 */
export async function checkFiles(files: readonly string[], config: InspectConfig): Promise<CheckReport> {
  const statements = await readStatements(files)
  await using pool = createPool({ url: projectUrl(config), applicationName: 'holdfast check', connectionsMax: 1 })
  const schemas = exposedSchemasOf(restOptionsOf(config), await readCatalog(pool), silentLogger)
  let report: CheckReport | undefined
  const undone = new Error('rolled back') // leaves the transaction with a rollback
  try {
    await pool.transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = ${sql.trusted(String(LOCK_TIMEOUT_MS))}`)
      for (const one of statements) await run(tx, one)
      await tx.execute(sql`reset session authorization`)
      await tx.execute(sql`reset role`)
      const input = await readPolicyInput(withinTransaction(tx), { schemas })
      const plan = compileSyncPlan(input)
      const problems = findProblemsOf(plan, input)
      report = { problems, tables: plan.tables.length, streams: plan.streams.length }
      if (problems.length > 0 || !config.apply) throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  }
  if (!report) throw new Error('nothing was checked')
  return { ...report, applied: config.apply && report.problems.length === 0 }
}

interface FileStatement {
  readonly text: string
  readonly file: string
  readonly line: number
  /** Rows of a `COPY … FROM stdin`, starting on the line after the statement. */
  readonly rows?: string
}

async function readStatements(files: readonly string[]): Promise<readonly FileStatement[]> {
  const all: FileStatement[] = []
  for (const file of files)
    for (const { sql: text, line: firstLine, rows } of readPsqlPieces(readSqlFile(file), file)) {
      const statements = await splitStatements(text).catch((error: unknown) => {
        throw new HoldfastError('statement_failed', 500, `${file} cannot be read as SQL: ${errorMessage(error)}`)
      })
      for (const { text: statement, line: lineOfPiece, kind } of statements) {
        const line = firstLine + lineOfPiece - 1
        if (rows !== undefined) all.push({ text: statement, file, line, rows })
        else if (kind === 'plain') all.push({ text: statement, file, line })
        else if (kind !== 'begin or commit')
          throw new HoldfastError(
            'statement_not_checked',
            500,
            `${file}, line ${line}: a file is checked in one transaction.`,
            { hint: WAYS_OUT[kind] },
          )
      }
    }
  return all
}

const WAYS_OUT = {
  'ends the transaction': 'Take ROLLBACK and PREPARE TRANSACTION out of it.',
  'reads the input': 'COPY … TO STDOUT has no output here: take it out of the file for the check.',
  'runs alone': 'What cannot be in a transaction cannot be checked: take it out of the file for the check.',
} as const

async function run(tx: Transaction, { text, file, line, rows }: FileStatement): Promise<void> {
  try {
    if (rows !== undefined) await copyIn(tx.client, text, [Buffer.from(rows)])
    // The extended protocol accepts a single statement.
    else await tx.client.query({ text, queryMode: 'extended' } as { text: string })
  } catch (error) {
    if (sqlstateOf(error) === undefined) throw error
    const { detail, hint, where } = error as Partial<Record<'detail' | 'hint' | 'where', string>>
    const row = Number(/^COPY .*, line (\d+)/.exec(where ?? '')?.[1])
    const failed = row > 0 ? line + text.split('\n').length - 1 + row : line
    throw new HoldfastError('statement_failed', 500, `${file}, line ${failed}: ${errorMessage(error)}`, {
      cause: error,
      ...(detail === undefined ? {} : { detail }),
      ...(hint === undefined ? {} : { hint }),
    })
  }
}

/** Finds tables with policies and declared streams that were refused. */
function findProblemsOf({ refused, streams }: SyncPlan, { policies }: PolicyInput): readonly CheckProblem[] {
  const guarded = new Set(
    policies.filter(({ command }) => command === 'r' || command === '*').map(({ table }) => table),
  )
  return [
    ...refused
      .filter(({ oid }) => guarded.has(oid))
      .map(({ schema, name, policy, reason }) => ({ of: `${schema}.${name}`, culprit: policy, reason })),
    ...streams.flatMap(({ name, refused: queries }) => queries.map((one) => problemOfStream(name, one))),
  ]
}

function projectUrl(config: InspectConfig): string {
  const url = config.databaseUrl ?? findRunningCluster(resolve(config.dataDir), 'project')
  if (url !== undefined) return url
  throw new HoldfastError('server_unreachable', 500, `No Holdfast runs on the data folder ${config.dataDir}.`, {
    hint: 'Start it first, tell its folder with --data-dir, or its database with DATABASE_URL.',
  })
}

function restOptionsOf(config: InspectConfig): RestOptions {
  return Object.fromEntries(
    Object.keys(restOptions).map((name) => [name, config[name as keyof InspectConfig]]),
  ) as unknown as RestOptions
}
