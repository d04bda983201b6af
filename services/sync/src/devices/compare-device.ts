import { delay, errorMessage } from '@holdfast/foundation'
import { digestRow, type DeviceComparison } from '@holdfast/protocol'
import { sql, type Connections, type Pool } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { docToJson } from '../encode/op-doc.ts'
import { deviceTooLarge } from '../errors.ts'
import { roleTables } from '../inspect/role-tables.ts'
import { withShownRows } from '../inspect/shown-rows.ts'
import { COMPARED_OPERATIONS_MAX, COMPARED_ROWS_READ, LISTED_DIFFERENCES_MAX } from '../limits.ts'
import type { StreamSession } from '../stream/stream-context.ts'

export interface CompareDeviceOptions {
  /** Reads schema `sync`. */
  readonly pool: Pool
  /** Connects as `authenticator`. */
  readonly requestPool: Connections
  readonly active: ActivePlan
  readonly session: StreamSession
  readonly signal: AbortSignal
}

/** Digests of rows by JSON of table and id. */
type Digests = ReadonlyMap<string, string>

/** Looks that must agree on a difference, and the pause in ms between them, because rows change meanwhile. */
const LOOKS = 3
const PAUSE_MS = 700

/**
 * Compares the rows in a connected device's buckets with what Postgres shows its user. A device checks the sum of each bucket before it shows a checkpoint, so
 * these are its rows once it has the newest one. A difference counts only if it stays while Postgres shows the row unchanged.
 *
 * @throws {HoldfastError} `device_too_large`
 */
export async function compareDevice(options: CompareDeviceOptions): Promise<DeviceComparison> {
  const { session, active } = options
  const size = session.state()
  if (size.operations > COMPARED_OPERATIONS_MAX) throw deviceTooLarge(COMPARED_OPERATIONS_MAX)
  const narrowed = new Set(
    roleTables(active, session.caller.role).flatMap(({ localName, isNarrowed }) => (isNarrowed ? [localName] : [])),
  )
  let last = await look(options, narrowed)
  let staying = new Set(last.differing)
  for (let count = 1; count < LOOKS && staying.size > 0; count++) {
    await delay(PAUSE_MS, options.signal)
    last = await look(options, narrowed)
    staying = new Set(last.differing.filter((key) => staying.has(key)))
  }
  const differences = [...staying].map((key) => describe(key, last.device, last.postgres))
  return {
    equal: differences.length === 0,
    buckets: size.buckets,
    operations: size.operations,
    tables: countTables(last.postgres),
    differences: differences.slice(0, LISTED_DIFFERENCES_MAX),
    differencesMore: Math.max(0, differences.length - LISTED_DIFFERENCES_MAX),
    failing: last.failing,
  }
}

interface Look {
  readonly differing: readonly string[]
  readonly device: Digests
  readonly postgres: Digests
  readonly failing: Readonly<Record<string, string>>
}

async function look(options: CompareDeviceOptions, narrowed: ReadonlySet<string>): Promise<Look> {
  const before = await readShown(options)
  const device = await readLogged(options)
  const mayMiss = (key: string): boolean => narrowed.has(tableOf(key)) && !device.has(key)
  const found = [...new Set([...before.digests.keys(), ...device.keys()])].filter(
    (key) => device.get(key) !== before.digests.get(key) && !mayMiss(key) && !(tableOf(key) in before.failing),
  )
  if (found.length === 0) return { differing: [], device, postgres: before.digests, failing: before.failing }
  const after = await readShown(options)
  const differing = found.filter((key) => before.digests.get(key) === after.digests.get(key))
  return { differing, device, postgres: after.digests, failing: after.failing }
}

async function readShown({ requestPool, active, session, signal }: CompareDeviceOptions): Promise<{
  readonly digests: Digests
  readonly failing: Readonly<Record<string, string>>
}> {
  const digests = new Map<string, string>()
  const failing: Record<string, string> = {}
  await withShownRows(requestPool, session.caller, signal, async (shown) => {
    for (const table of roleTables(active, session.caller.role)) {
      const failure = await shown.read(table, async (rows) => {
        for (const { id, data } of rows) digests.set(keyOf(table.localName, id), digestRow(id, data))
      })
      if (failure) failing[table.localName] = errorMessage(failure.error)
    }
  })
  return { digests, failing }
}

/** Reads the rows in the device's buckets. Of a row in several, the newest version counts, as on the device. */
async function readLogged({ pool, session, signal }: CompareDeviceOptions): Promise<Digests> {
  const ids = session.bucketIds()
  const newest = new Map<string, { readonly opId: number; readonly digest: string }>()
  for (let [bucket, op] = [0, '0']; ;) {
    signal.throwIfAborted()
    const rows = await pool.query<{ bucket_id: number; op_id: string; doc: Buffer }>(sql`
      select bucket_id, op_id::text, doc from sync.ops
       where bucket_id = any(${ids}::int4[]) and row_key is not null
         and (bucket_id, op_id) > (${bucket}::int4, ${op}::int8)
       order by bucket_id, op_id limit ${COMPARED_ROWS_READ}`)
    for (const { doc, op_id } of rows) {
      const { object_type: table = '', object_id: id = '', data } = JSON.parse(docToJson(doc, false)) as Operation
      const key = keyOf(table, id)
      const opId = Number(op_id)
      if ((newest.get(key)?.opId ?? 0) < opId) newest.set(key, { opId, digest: digestRow(id, data ?? '') })
    }
    const last = rows.at(-1)
    if (!last || rows.length < COMPARED_ROWS_READ) break
    ;[bucket, op] = [last.bucket_id, last.op_id]
  }
  return new Map([...newest].map(([key, { digest }]) => [key, digest]))
}

interface Operation {
  readonly object_type?: string
  readonly object_id?: string
  readonly data?: string
}

function keyOf(table: string, id: string): string {
  return JSON.stringify([table, id])
}

function tableOf(key: string): string {
  return (JSON.parse(key) as [string, string])[0]
}

function describe(key: string, device: Digests, postgres: Digests): DeviceComparison['differences'][number] {
  const [table, id] = JSON.parse(key) as [string, string]
  const kind = !device.has(key) ? 'missing' : postgres.has(key) ? 'different' : 'extra'
  return { table, id, kind }
}

function countTables(digests: Digests): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const key of digests.keys()) counts.set(tableOf(key), (counts.get(tableOf(key)) ?? 0) + 1)
  return Object.fromEntries([...counts].toSorted())
}
