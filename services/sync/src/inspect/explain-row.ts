import { HoldfastError, type Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { sql, type Connections, type Pool } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { readBucketKey } from '../buckets/bucket-name.ts'
import type { PolicyFailures } from '../buckets/policy-failures.ts'
import { evaluateKeys } from '../buckets/evaluate-keys.ts'
import { chooseStreams } from '../stream/wanted-streams.ts'
import type { Marks } from '../checkpoints/marks.ts'
import { createTimeZone } from '../rows/time-zone.ts'
import { createRowEvaluator } from '../rows/row-evaluator.ts'
import type { RestrictedPools } from '../restricted-pools.ts'
import { createTableRouter } from '../rows/table-router.ts'
import { askPostgres, readRow } from './ask-postgres.ts'
import { findSources } from './key-sources.ts'
import { describeOperation, readLogged } from './logged-operations.ts'
import { sessionOf, type Person } from './person.ts'
import { explainReasons, findDisagreements, type DefinitionAnswer, type RowExplanation } from './row-explanation.ts'

export interface ExplainContext extends RestrictedPools {
  /** As the superuser. */
  readonly pool: Pool
  /** As `authenticator`. */
  readonly requestPool: Connections
  readonly marks: Marks
  readonly plan: SyncPlan
  readonly active: ActivePlan
  readonly failures: PolicyFailures
  readonly logger: Logger
}

/** How often it is looked again when log and table disagree: rows may be changing. */
const ATTEMPTS = 4

/**
 * @param table - its name on devices, or `schema.name`
 * @param id - as devices have it
 * @throws {HoldfastError} `sync_table_unknown`
 */
export async function explainRow(
  context: ExplainContext,
  person: Person,
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
  person: Person,
  tableName: string,
  id: string,
  signal: AbortSignal,
): Promise<RowExplanation> {
  const { plan, active, pool, readerPool, evaluatorPool, requestPool, logger } = context
  const common = { user: { id: person.userId, role: person.role }, table: tableName, id }
  const planned = plan.tables.find((one) => isNamed(one, tableName) || one.localName === tableName)
  if (!planned) {
    const refused = plan.refused.find((one) => isNamed(one, tableName))
    if (!refused) throw unknownTable(tableName, plan)
    const blame = refused.policy === undefined ? '' : `policy "${refused.policy}": `
    return {
      ...common,
      verdict: 'does not have it',
      because: [`The table does not sync: ${blame}${refused.reason}`],
      synced: false,
      postgres: { exists: false, visible: false, policies: [] },
      definitions: [],
      stray: [],
      disagreements: [],
    }
  }
  const entry = active.tables.get(planned.oid)
  const definitions = (entry?.definitions ?? []).filter(({ definition }) => definition.roles.includes(person.role))
  const chosen = chooseStreams(active, { includeDefaults: true, subscriptions: [] })
  const columns = planned.columns.map((column) => column.name)
  const found = await readerPool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read read only`)
    return readRow(tx, planned, columns, id)
  })
  const postgres = await askPostgres(context, planned, person, id, found)
  const router = createTableRouter(planned, definitions, columns)
  const evaluator = createRowEvaluator({
    pool: evaluatorPool,
    admin: pool,
    failures: context.failures,
    timeZone: createTimeZone(pool),
    logger,
  })
  const [evaluated = []] = found ? await evaluator.evaluate(router, columns, [found]) : []
  const wants = chosen.wants.map(({ want }) => want)
  const keys = await evaluateKeys(requestPool, wants, sessionOf(person), context.failures)
  await context.marks.pass(keys.upTo, signal)
  const bucketNames = keys.wants.flatMap((want) => want.bucketNames)
  const own = new Set(bucketNames)
  const prefixes = definitions.map(({ stored }) => `${stored.id}.${stored.tag}`)
  const rowBuckets = definitions.map((_, index) => (found ? router.buckets(index, found, evaluated) : []))
  const names = new Set([
    ...rowBuckets.flat(),
    ...bucketNames.filter((name) => prefixes.some((prefix) => name.startsWith(prefix))),
  ])
  const logged = await readLogged(pool, [...names], planned.localName, id)
  const json = definitions.map((_, index) => (found ? router.json(index, found, new Map()) : undefined))

  const answers: DefinitionAnswer[] = []
  for (const [index, one] of definitions.entries()) {
    const { definition } = one
    const buckets: DefinitionAnswer['buckets'][number][] = []
    for (const name of rowBuckets[index] ?? []) {
      const personHas = own.has(name)
      const key = readBucketKey(name)
      const operation = logged.find((op) => op.bucket === name)
      buckets.push({
        name,
        key,
        personHas,
        sources: key && !definition.accessClass ? await findSources(context, one, key, person) : [],
        operation: operation && describeOperation(operation, json[index]),
      })
    }
    const prefix = prefixes[index] ?? ''
    answers.push({
      id: definition.id,
      policies: definition.policies,
      rowFilter: definition.rowFilter?.sql,
      keys: definition.keys.map((expression) => expression.sql),
      buckets,
      personBuckets: bucketNames.filter((name) => name.startsWith(prefix)).length,
    })
  }
  const belongs = new Set(rowBuckets.flat())
  const stray = logged
    .filter((op) => own.has(op.bucket) && !belongs.has(op.bucket))
    .map((op) => describeOperation(op, undefined))
  const streams = planned.definitions.flatMap(({ stream }) => stream ?? [])
  const disagreements = findDisagreements(postgres, answers, stray, streams.length > 0)
  const hasIt = answers.some(({ buckets }) => buckets.some((bucket) => bucket.personHas && bucket.operation))
  return {
    ...common,
    verdict: disagreements.length > 0 ? 'disagreement' : hasIt ? 'has it' : 'does not have it',
    because: [
      ...disagreements,
      ...(streams.length > 0
        ? [`Devices have the table through streams that they subscribe to: ${[...new Set(streams)].join(', ')}.`]
        : []),
      ...explainReasons(postgres, definitions, answers, person),
    ],
    synced: true,
    postgres,
    definitions: answers,
    stray,
    disagreements,
  }
}

function isNamed(table: { readonly schema: string; readonly name: string }, name: string): boolean {
  return `${table.schema}.${table.name}` === name || (table.schema === 'public' && table.name === name)
}

function unknownTable(name: string, plan: SyncPlan): HoldfastError {
  return new HoldfastError('sync_table_unknown', 404, `There is no table "${name}".`, {
    hint: `Tables that sync: ${plan.tables.map((table) => table.localName).join(', ')}`,
  })
}
