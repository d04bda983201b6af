import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import type { SyncPlan, TablePlan } from '@holdfast/policy'
import {
  isConnectionLoss,
  quoteIdentifier,
  quoteName,
  runAs,
  sql,
  type Pool,
  type Transaction,
} from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import type { ActiveDefinition, ActivePlan } from '../buckets/active-plan.ts'
import { readBucketKey } from '../buckets/bucket-name.ts'
import { evaluateKeys } from '../buckets/evaluate-keys.ts'
import { chooseStreams } from '../stream/wanted-streams.ts'
import type { Marks } from '../checkpoints/marks.ts'
import { docToJson, rowKey } from '../encode/op-doc.ts'
import { evaluateRows } from '../replicator/evaluate-rows.ts'
import { createTableRouter } from '../replicator/table-router.ts'
import { byRecordId } from './by-record-id.ts'
import { sessionOf, type Person } from './person.ts'
import {
  explainReasons,
  findDisagreements,
  type DefinitionAnswer,
  type KeySource,
  type LoggedOperation,
  type PolicyAnswer,
  type RowExplanation,
} from './row-explanation.ts'
import { columnList, printAsStream, queryTexts } from './role-tables.ts'

export interface ExplainContext {
  /** As the superuser. */
  readonly pool: Pool
  /** As `authenticator`. */
  readonly requestPool: Pool
  readonly marks: Marks
  readonly plan: SyncPlan
  readonly active: ActivePlan
  readonly logger: Logger
}

/** How often it is looked again when log and table disagree: rows may be changing. */
const ATTEMPTS = 4
const SOURCES_MAX = 5

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
  const { plan, active, pool, requestPool, logger } = context
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
  const found = await pool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read read only`)
    return readRow(tx, planned, columns, id)
  })
  const postgres = await askPostgres(context, planned, person, id, found)
  const router = createTableRouter(planned, definitions, columns)
  const [evaluated = []] = found ? await evaluateRows(pool, router, columns, [found], logger) : []
  const wants = chosen.wants.map(({ want }) => want)
  const keys = await evaluateKeys(requestPool, wants, sessionOf(person), logger)
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

/** As the superuser, past all policies. */
async function readRow(
  tx: Transaction,
  table: TablePlan,
  columns: readonly string[],
  id: string,
): Promise<Tuple | undefined> {
  await printAsStream(tx)
  const name = sql.trusted(quoteName(table.schema, table.name))
  await tx.execute(sql`savepoint by_id`)
  try {
    const [row] = await queryTexts(tx, sql`select ${columnList(columns)} from ${name} t where ${byRecordId(table, id)}`)
    return row
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    await tx.execute(sql`rollback to savepoint by_id`)
    return undefined // the id is no value of the column's type
  }
}

async function askPostgres(
  { pool, requestPool }: ExplainContext,
  table: TablePlan,
  person: Person,
  id: string,
  row: Tuple | undefined,
): Promise<RowExplanation['postgres']> {
  if (!row) return { exists: false, visible: false, policies: [] }
  const name = sql.trusted(quoteName(table.schema, table.name))
  const [composite] = await pool.query<{ row: string }>(
    sql`select t::text as row from ${name} t where ${byRecordId(table, id)}`,
  )
  const policies = await pool.transaction(async (tx) => {
    await tx.execute(sql`set local search_path = pg_catalog`) // so that every other name is printed with its schema
    return tx.query<{ name: string; permissive: boolean; using: string | null }>(sql`
    select p.polname as name, p.polpermissive as permissive, pg_get_expr(p.polqual, p.polrelid) as using
      from pg_catalog.pg_policy p
     where p.polrelid = ${table.oid}::int8::oid and p.polcmd in ('r', '*')
       and (0 = any(p.polroles) or exists (select from unnest(p.polroles) r where r <> 0 and pg_has_role(${person.role}, r, 'usage')))
     order by p.polpermissive desc, p.polname
    `)
  })
  return runAs(requestPool, sessionOf(person), async (tx) => {
    const attempt = async <T>(body: () => Promise<T>): Promise<T | { readonly fails: string }> => {
      await tx.execute(sql`savepoint one`)
      try {
        return await body()
      } catch (error) {
        if (isConnectionLoss(error)) throw error
        await tx.execute(sql`rollback to savepoint one`)
        return { fails: errorMessage(error) }
      }
    }
    const seen = await attempt(() => tx.query(sql`select 1 from ${name} t where ${byRecordId(table, id)}`))
    const answers: PolicyAnswer[] = []
    for (const { name: policy, permissive, using } of policies) {
      if (using === null) continue
      // The row as a value, so that the person need not be able to read it from the table.
      const answer = await attempt(() =>
        tx.query<{ passes: boolean | null }>(sql`
          select (${sql.trusted(using)}) as passes
            from (select (${composite?.row ?? null}::text::${name}).*) as ${sql.trusted(quoteIdentifier(table.name))}
        `),
      )
      answers.push(
        'fails' in answer
          ? { name: policy, permissive, passes: null, fails: answer.fails }
          : { name: policy, permissive, passes: answer[0]?.passes ?? null },
      )
    }
    return 'fails' in seen
      ? { exists: true, visible: false, fails: seen.fails, policies: answers }
      : { exists: true, visible: seen.length > 0, policies: answers }
  })
}

/** Rows of the tables that a key query reads which hold this key and, where the query pins them, belong to the person. */
async function findSources(
  { requestPool, logger }: ExplainContext,
  { definition }: ActiveDefinition,
  key: readonly (string | null)[],
  person: Person,
): Promise<readonly KeySource[]> {
  const values = key.filter((value) => value !== null)
  const sources: KeySource[] = []
  for (const { schema, name, columns, pin } of definition.dependencies) {
    if (columns.length === 0) continue
    const holdsKey = columns.map((column) => sql`t.${sql.identifier(column)}::text = any(${values}::text[])`)
    const conditions = [
      ...(values.length > 0 ? [sql`(${sql.join(holdsKey, ' or ')})`] : []),
      ...(pin ? [sql`t.${sql.identifier(pin.column)}::text = (${sql.trusted(pin.claimSql)})::text`] : []),
    ]
    if (conditions.length === 0) continue
    try {
      const rows = await runAs(requestPool, sessionOf(person), (tx) =>
        tx.query<{ row: Record<string, unknown> }>(sql`
          select to_jsonb(s) as row
            from (select ${columnList(columns)} from ${sql.identifier(schema, name)} t where ${sql.join(conditions, ' and ')} limit ${SOURCES_MAX}) s
        `),
      )
      sources.push(...rows.map(({ row }) => ({ table: `${schema}.${name}`, row })))
    } catch (error) {
      if (isConnectionLoss(error)) throw error
      // Read by a function with other rights: the person cannot be shown what it reads.
      logger.log('debug', 'a table that a key query reads cannot be read', { table: name, reason: errorMessage(error) })
    }
  }
  return sources
}

interface Logged {
  readonly bucket: string
  readonly opId: string
  readonly checksum: number
  readonly doc: Buffer
}

async function readLogged(
  pool: Pool,
  names: readonly string[],
  localName: string,
  id: string,
): Promise<readonly Logged[]> {
  const rows = await pool.query<{ bucket: string; opId: string; checksum: number; doc: Buffer }>(sql`
    select b.name as bucket, o.op_id::text as "opId", o.checksum, o.doc
      from sync.buckets b join sync.ops o on o.bucket_id = b.id and o.row_key = ${rowKey(id)}
     where b.name = any(${names}::text[])
  `)
  return rows.filter(({ doc }) => {
    const op = JSON.parse(docToJson(doc, false)) as { object_type?: string; object_id?: string }
    return op.object_type === localName && op.object_id === id
  })
}

function describeOperation({ bucket, opId, checksum, doc }: Logged, json: string | undefined): LoggedOperation {
  const { data } = JSON.parse(docToJson(doc, false)) as { data?: string }
  return { bucket, opId, checksum: checksum >>> 0, current: data === json }
}
