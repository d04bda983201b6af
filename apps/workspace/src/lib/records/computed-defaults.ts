import type { LocalDatabase } from '@holdfast/client'
import type { ColumnDescriptor, ComputedDefault } from '@holdfast/protocol'
import { toStoredMoment } from '../fields/dates.ts'
import type { FieldValue } from '../fields/field.ts'
import { wallTimeAt } from '../time-zone.ts'
import type { NewCommand, RecordChange, RecordValues } from './record-change.ts'

type Local = Pick<LocalDatabase, 'database' | 'schema' | 'userId'>

/** What computed defaults of a workspace read. */
interface Here {
  readonly zone: string | null
  readonly member: string | null
}

/** Returns the command with the computed defaults of its new records. */
export async function completeCommand(local: Local, command: NewCommand): Promise<NewCommand> {
  return { ...command, changes: await withDefaults(local, command.changes) }
}

/**
 * Returns the changes with the computed defaults of new records in place of empty values, as Postgres would store them. Without a connection they are those
 * of the moment at which the record was created, not at which it is sent.
 */
export async function withDefaults(
  local: Local,
  changes: readonly RecordChange[],
  now = new Date(),
): Promise<readonly RecordChange[]> {
  const columnsOf = new Map(
    local.schema
      .get()
      .tables.map(({ name, columns }) => [name, columns.filter(({ computedDefault }) => computedDefault)]),
  )
  const own = changes.flatMap(({ kind, table }) => (kind === 'insert' ? (columnsOf.get(table) ?? []) : []))
  if (own.length === 0) return changes
  const workspaces = new Set(own.flatMap(({ computedDefault }) => computedDefault?.workspace ?? []))
  const known = new Map<string | undefined, Here>()
  for (const workspace of workspaces) known.set(workspace, await readHere(local, workspace))
  const valueOf = ({ from, workspace }: ComputedDefault): FieldValue => {
    const here = known.get(workspace)
    if (from === 'me') return here?.member ?? null
    if (from === 'today') return dayIn(here?.zone ?? 'UTC', now)
    return toStoredMoment(new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS), true)
  }
  return changes.map((change) =>
    change.kind === 'insert'
      ? { ...change, values: fill(change.values, columnsOf.get(change.table) ?? [], valueOf) }
      : change,
  )
}

const MINUTE_MS = 60_000

function fill(
  values: RecordValues,
  columns: readonly ColumnDescriptor[],
  valueOf: (of: ComputedDefault) => FieldValue,
): RecordValues {
  const filled = columns.flatMap(({ name, computedDefault }) => {
    const value = computedDefault && (values[name] ?? null) === null ? valueOf(computedDefault) : null
    return value === null ? [] : [[name, value] as const]
  })
  return filled.length === 0 ? values : { ...values, ...Object.fromEntries(filled) }
}

async function readHere({ database, userId }: Local, workspace: string): Promise<Here> {
  const found = await database.getOptional<Here>(
    `select w.time_zone as zone,
            (select m.id from hf_members m where m.workspace_id = w.id and m.user_id = ? and m.status = 'active') as member
       from hf_workspaces w where w.id = ?`,
    [userId, workspace],
  )
  return found ?? { zone: null, member: null }
}

function dayIn(zone: string, at: Date): string {
  const { year, month, day } = wallTimeAt(at, zone)
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
}
