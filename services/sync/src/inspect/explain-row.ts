import { HoldfastError, type Logger } from '@holdfast/foundation'
import type { SyncPlan, TablePlan } from '@holdfast/policy'
import { sql, type Connections, type Pool } from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import type { ActiveDefinition, ActivePlan } from '../buckets/active-plan.ts'
import { readBucketKey } from '../buckets/bucket-name.ts'
import type { PolicyFailures } from '../buckets/policy-failures.ts'
import { evaluateKeys } from '../buckets/evaluate-keys.ts'
import { chooseStreams } from '../stream/wanted-streams.ts'
import type { WalBarrier } from '../checkpoints/wal-barrier.ts'
import { createTimeZone } from '../rows/time-zone.ts'
import { RowEvaluator } from '../rows/row-evaluator.ts'
import type { RestrictedPools } from '../user-sql/restricted-pools.ts'
import { createTableRouter, type Evaluated, type TableRouter } from '../rows/table-router.ts'
import { readVisibility, readRow } from './read-visibility.ts'
import { findSources } from './key-sources.ts'
import { describeOperation, readLogged } from './logged-operations.ts'
import { sessionOf, type InspectedUser } from './inspected-user.ts'
import { explainReasons, findDisagreements, type DefinitionAnswer, type RowExplanation } from './row-explanation.ts'

export interface ExplainContext extends RestrictedPools {
  /** Connects as superuser. */
  readonly pool: Pool
  /** Connects as `authenticator`. */
  readonly requestPool: Connections
  readonly walBarrier: WalBarrier
  readonly plan: SyncPlan
  readonly active: ActivePlan
  readonly failures: PolicyFailures
  readonly logger: Logger
}

/** Attempts if log and table disagree, because rows may be changing. */
const ATTEMPTS = 4

/**
 * Explains why a user has, or does not have, a row.
 *
 * @param table - local name, or `schema.name`
 * @param id - the id on devices
 * @throws {HoldfastError} `sync_table_unknown`
 */
export async function explainRow(
  context: ExplainContext,
  person: InspectedUser,
  table: string,
  id: string,
  signal: AbortSignal,
): Promise<RowExplanation> {
  let last: RowExplanation | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    last = await explainOnce(context, person, table, id, signal)
    if (last.disagreements.length === 0) break
  }
  return last as RowExplanation
}

async function explainOnce(
  context: ExplainContext,
  person: InspectedUser,
  tableName: string,
  id: string,
  signal: AbortSignal,
): Promise<RowExplanation> {
  const common = { user: { id: person.userId, role: person.role }, table: tableName, id }
  const table = context.plan.tables.find((one) => isNamed(one, tableName) || one.localName === tableName)
  if (!table) return { ...common, ...explainRefused(context.plan, tableName) }
  const state = await readRowState(context, table, person, id, signal)
  const answers = await answerDefinitions(context, state, person)
  const own = new Set(state.bucketNames)
  const belongs = new Set(state.rowBuckets.flat())
  const stray = state.logged
    .filter((op) => own.has(op.bucket) && !belongs.has(op.bucket))
    .map((op) => describeOperation(op, undefined))
  const streams = new Set(table.definitions.flatMap(({ stream }) => stream ?? []))
  const disagreements = findDisagreements(state.postgres, answers, stray, streams.size > 0)
  const hasIt = answers.some(({ buckets }) => buckets.some((bucket) => bucket.personHas && bucket.operation))
  return {
    ...common,
    verdict: disagreements.length > 0 ? 'disagreement' : hasIt ? 'has it' : 'does not have it',
    because: [
      ...disagreements,
      ...(streams.size > 0
        ? [`Devices have the table through streams that they subscribe to: ${[...streams].join(', ')}.`]
        : []),
      ...explainReasons(state.postgres, state.definitions, answers, person),
    ],
    synced: true,
    postgres: state.postgres,
    definitions: answers,
    stray,
    disagreements,
  }
}

/** @throws {HoldfastError} `sync_table_unknown` if the plan does not refuse the table either */
function explainRefused(plan: SyncPlan, tableName: string): Omit<RowExplanation, 'user' | 'table' | 'id'> {
  const refused = plan.refused.find((one) => isNamed(one, tableName))
  if (!refused) throw unknownTable(tableName, plan)
  const blame = refused.policy === undefined ? '' : `policy "${refused.policy}": `
  return {
    verdict: 'does not have it',
    because: [`The table does not sync: ${blame}${refused.reason}`],
    synced: false,
    postgres: { exists: false, visible: false, policies: [] },
    definitions: [],
    stray: [],
    disagreements: [],
  }
}

/** A row in the table and the log, and the user's buckets. */
interface RowState {
  readonly definitions: readonly ActiveDefinition[]
  readonly postgres: RowExplanation['postgres']
  /** Names of the row's buckets, by definition. */
  readonly rowBuckets: readonly (readonly string[])[]
  /** The row in device form, by definition; `undefined` if it does not exist. */
  readonly json: readonly (string | undefined)[]
  /** Names of the user's buckets. */
  readonly bucketNames: readonly string[]
  /** The newest operations on the row in the user's buckets. */
  readonly logged: Awaited<ReturnType<typeof readLogged>>
}

async function readRowState(
  context: ExplainContext,
  table: TablePlan,
  person: InspectedUser,
  id: string,
  signal: AbortSignal,
): Promise<RowState> {
  const { active, pool, readerPool, requestPool } = context
  const inPlan = active.tables.get(table.oid)?.definitions ?? []
  const definitions = inPlan.filter(({ definition }) => definition.roles.includes(person.role))
  const chosen = chooseStreams(active, { includeDefaults: true, subscriptions: [] })
  const columns = table.columns.map((column) => column.name)
  const row = await readerPool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read read only`)
    return readRow(tx, table, columns, id)
  })
  const postgres = await readVisibility(context, table, person, id, row)
  const router = createTableRouter(table, definitions, columns)
  const evaluated = row && (await evaluateRow(context, router, columns, row))
  const subscriptions = chosen.subscriptions.map(({ subscription }) => subscription)
  const keys = await evaluateKeys(requestPool, subscriptions, sessionOf(person), context.failures)
  await context.walBarrier.waitFor(keys.upTo, signal)
  const bucketNames = keys.subscriptions.flatMap((subscription) => subscription.bucketNames)
  const rowBuckets = definitions.map((_, index) => (row && evaluated ? router.buckets(index, row, evaluated) : []))
  const prefixes = definitions.map(prefixOf)
  const names = new Set([
    ...rowBuckets.flat(),
    ...bucketNames.filter((name) => prefixes.some((prefix) => name.startsWith(prefix))),
  ])
  const logged = await readLogged(pool, [...names], table.localName, id)
  const json = definitions.map((_, index) => row && router.json(index, row, new Map()))
  return { definitions, postgres, rowBuckets, json, bucketNames, logged }
}

async function evaluateRow(
  { pool, evaluatorPool, failures, logger }: ExplainContext,
  router: TableRouter,
  columns: readonly string[],
  row: Tuple,
): Promise<Evaluated> {
  const timeZone = createTimeZone(pool)
  const evaluator = new RowEvaluator({ pool: evaluatorPool, admin: pool, failures, timeZone, logger })
  const [evaluated = []] = await evaluator.evaluate(router, columns, [row])
  return evaluated
}

/** Evaluates each of the table's definitions for row and user. */
async function answerDefinitions(
  context: ExplainContext,
  { definitions, rowBuckets, json, bucketNames, logged }: RowState,
  person: InspectedUser,
): Promise<readonly DefinitionAnswer[]> {
  const own = new Set(bucketNames)
  const answers: DefinitionAnswer[] = []
  for (const [index, one] of definitions.entries()) {
    const { definition } = one
    const buckets: DefinitionAnswer['buckets'][number][] = []
    for (const name of rowBuckets[index] ?? []) {
      const key = readBucketKey(name)
      const operation = logged.find((op) => op.bucket === name)
      buckets.push({
        name,
        key,
        personHas: own.has(name),
        sources: key && !definition.accessClass ? await findSources(context, one, key, person) : [],
        operation: operation && describeOperation(operation, json[index]),
      })
    }
    const prefix = prefixOf(one)
    answers.push({
      id: definition.id,
      policies: definition.policies,
      rowFilter: definition.rowFilter?.sql,
      keys: definition.keys.map((expression) => expression.sql),
      buckets,
      personBuckets: bucketNames.filter((name) => name.startsWith(prefix)).length,
    })
  }
  return answers
}

/** Returns the bucket name prefix of a definition. */
function prefixOf({ stored }: ActiveDefinition): string {
  return `${stored.id}.${stored.tag}`
}

function isNamed(table: { readonly schema: string; readonly name: string }, name: string): boolean {
  return `${table.schema}.${table.name}` === name || (table.schema === 'public' && table.name === name)
}

function unknownTable(name: string, plan: SyncPlan): HoldfastError {
  return new HoldfastError('sync_table_unknown', 404, `There is no table "${name}".`, {
    hint: `Tables that sync: ${plan.tables.map((table) => table.localName).join(', ')}`,
  })
}
