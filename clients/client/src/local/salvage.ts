import { quoteName } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { localTables } from '../schema/local-tables.ts'
import type { DamageReport } from './local-file.ts'

type Reads = Pick<CommonPowerSyncDatabase['database'], 'getAll'>

interface QueuedOperation {
  readonly id: number
  readonly tx_id: number
  readonly data: string
}

interface LocalRow {
  readonly id: string
  readonly data: string
}

/** The unsent data of a database, as far as readable. */
export interface Salvage {
  readonly outbox: readonly QueuedOperation[]
  /** Rows of the local-only tables, by table. */
  readonly local: ReadonlyMap<string, readonly LocalRow[]>
  /** Client id and outbox positions, so that changes sent but not yet acknowledged are not applied twice. */
  readonly client: { readonly id: string; readonly lastPosition: number } | undefined
  readonly isWhole: boolean
}

/** Excludes imports, whose undo needs rows that are not here, and thumbnails, which are recreated. */
const KEPT_TABLES = Object.keys(localTables).filter(
  (name) => name !== 'hf_local_imports' && name !== 'hf_local_pictures',
)

/** Limit for reading rows one by one where a table cannot be read whole. */
const ROWS_MAX = 20_000

/** Reads everything on intact pages. Never throws. */
export async function readSalvage(database: Reads): Promise<Salvage> {
  const outbox = await readRows<QueuedOperation>(database, 'ps_crud', 'tx_id, data')
  const local = new Map<string, readonly LocalRow[]>()
  let isWhole = outbox.isWhole
  for (const name of KEPT_TABLES) {
    const { rows, isWhole: isTableWhole } = await readRows<LocalRow>(database, `ps_data_local__${name}`, 'data')
    local.set(name, rows)
    isWhole &&= isTableWhole
  }
  // An incomplete transaction differs from the one the server may know by its position.
  const client = outbox.isWhole ? await readClient(database) : undefined
  return { outbox: outbox.rows, local, client, isWhole }
}

async function readClient(database: Reads): Promise<Salvage['client']> {
  try {
    const [row] = await database.getAll<{ id: string; position: number | null }>(
      `select cast(value as text) as id, (select seq from sqlite_sequence where name = 'ps_crud') as position
         from ps_kv where key = 'client_id'`,
    )
    return row && { id: row.id, lastPosition: row.position ?? 0 }
  } catch {
    return undefined // then a new client id is used, and an unacknowledged change is sent once more
  }
}

async function readRows<Row extends object>(
  database: Reads,
  table: string,
  columns: string,
): Promise<{ readonly rows: readonly Row[]; readonly isWhole: boolean }> {
  const select = `select rowid as hf_rowid, id, ${columns} from ${quoteName(table)}`
  type Found = Row & { readonly hf_rowid: number }
  try {
    return { rows: await database.getAll<Row>(`${select} order by rowid`), isWhole: true }
  } catch {
    // Read from the first row up to the damage, and from the last one down to it.
  }
  const rows = new Map<number, Row>()
  for (const [compare, direction] of [
    ['>', 'asc'],
    ['<', 'desc'],
  ] as const) {
    let at: number | undefined
    try {
      while (rows.size < ROWS_MAX) {
        const where = at === undefined ? '' : ` where rowid ${compare} ${at}`
        const [row] = await database.getAll<Found>(`${select}${where} order by rowid ${direction} limit 1`)
        if (!row || rows.has(row.hf_rowid)) break
        at = row.hf_rowid
        rows.set(at, row)
      }
    } catch {
      // the damage
    }
  }
  return { rows: [...rows].toSorted(([a], [b]) => a - b).map(([, row]) => row), isWhole: false }
}

/** Records in a file that it has replaced a damaged one. */
interface Replacement {
  /** Generation of the file itself. */
  readonly generation: number
  readonly report: DamageReport
}

/** Key in `hf_local_settings`. */
const REPLACEMENT = 'file_replacement'

/** @returns the report of the tab that finished this generation's file; `undefined` if none has */
export async function readReplacement(
  database: CommonPowerSyncDatabase,
  generation: number,
): Promise<DamageReport | undefined> {
  const row = await database.getOptional<{ readonly value: string }>(
    'select value from hf_local_settings where id = ?',
    [REPLACEMENT],
  )
  const replacement = row === null ? undefined : (JSON.parse(row.value) as Replacement)
  return replacement?.generation === generation ? replacement.report : undefined
}

/** Writes salvaged data into a new, unsynced database, with the completion record, atomically. */
export async function writeSalvage(
  database: CommonPowerSyncDatabase,
  salvage: Salvage,
  replacement: Replacement,
): Promise<void> {
  const tables = new Set(database.schema.tables.map(({ name }) => name))
  await database.writeTransaction(async (tx) => {
    for (const [name, rows] of salvage.local) {
      for (const { id, data } of rows) {
        await tx.execute(`insert or replace into ${quoteName(`ps_data_local__${name}`)} (id, data) values (?, ?)`, [
          id,
          data,
        ])
      }
    }
    await writeOutbox(tx, salvage)
    await showOutbox(tx, salvage.outbox, tables)
    await tx.execute('insert or replace into hf_local_settings (id, value) values (?, ?)', [
      REPLACEMENT,
      JSON.stringify(replacement),
    ])
  })
}

async function writeOutbox(tx: Transaction, { outbox, client }: Salvage): Promise<void> {
  if (outbox.length > 0) {
    // Makes the SDK note pending uploads; the placeholder entry is deleted again.
    await tx.execute(`insert into powersync_crud (op, id, type, data) values ('PUT', 'none', 'none', '{}')`)
    await tx.execute('delete from ps_crud')
    for (const { id, tx_id, data } of outbox) {
      await tx.execute('insert into ps_crud (id, tx_id, data) values (?, ?, ?)', [id, tx_id, data])
    }
    await tx.execute('update ps_tx set next_tx = ? where id = 1', [Math.max(...outbox.map(({ tx_id }) => tx_id)) + 1])
  }
  if (!client) return
  await tx.execute(`insert or replace into ps_kv (key, value) values ('client_id', ?)`, [client.id])
  const last = Math.max(client.lastPosition, outbox.at(-1)?.id ?? 0)
  await tx.execute(`delete from sqlite_sequence where name = 'ps_crud'`)
  await tx.execute(`insert into sqlite_sequence (name, seq) values ('ps_crud', ?)`, [last])
}

interface Operation {
  readonly op: string
  readonly type: string
  readonly id: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Shows records created here immediately; the rest comes from the server. */
async function showOutbox(
  tx: Transaction,
  outbox: readonly QueuedOperation[],
  tables: ReadonlySet<string>,
): Promise<void> {
  const made = new Map<string, Operation>()
  for (const { data } of outbox) {
    const operation = JSON.parse(data) as Operation
    const key = `${operation.type}\0${operation.id}`
    const before = made.get(key)
    if (operation.op === 'DELETE') made.delete(key)
    else if (operation.op === 'PUT' || before) {
      made.set(key, { ...operation, data: { ...before?.data, ...operation.data } })
    }
  }
  for (const { type, id, data } of made.values()) {
    if (!tables.has(type)) continue
    await tx.execute(`insert or replace into ${quoteName(`ps_data__${type}`)} (id, data) values (?, ?)`, [
      id,
      JSON.stringify(data),
    ])
    await tx.execute('insert or ignore into ps_updated_rows (row_type, row_id) values (?, ?)', [type, id])
  }
}
