import { type LocalDatabase, type RejectedChanges, withdrawUnsent, writeLocally } from '@holdfast/client'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { TableInfo } from '../../lib/data/tables.ts'
import { holdPage } from '../../lib/data/typing.ts'
import { type ApplyOutcome, applyCommand, countChanged } from '../../lib/records/apply-command.ts'
import {
  type Command,
  inverseOf,
  type RecordChange,
  recordKey,
  type RecordValues,
} from '../../lib/records/record-change.ts'
import { judgeChanges } from '../../lib/records/judge-changes.ts'
import { isOfCommand, refusedRecords } from '../../lib/records/refused-records.ts'
import { quoteName } from '../../lib/sql.ts'
import { importMessages as words } from '../../messages/import.ts'
import { createImportLog, forgetChunks } from './past-imports.ts'

/** Changes per local transaction; the user's other changes wait for at most one. */
const CHUNK = 250

export interface RunOptions {
  readonly database: CommonPowerSyncDatabase
  readonly fileName: string
  readonly changes: readonly RecordChange[]
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

/**
 * Writes an import's changes on this device in chunks; the server treats each record separately. An abort stops between two chunks.
 *
 * @param written - receives the written commands, even if a write fails
 */
export function runImport(options: RunOptions, written: Command[]): Promise<void> {
  return holdPage(() => writeChunks(options, written))
}

async function writeChunks(
  { database, fileName, changes, signal, onProgress }: RunOptions,
  written: Command[],
): Promise<void> {
  const log = createImportLog(fileName)
  for (let from = 0; from < changes.length && !signal.aborted; from += CHUNK) {
    const chunk = changes.slice(from, from + CHUNK)
    const command: Command = { id: crypto.randomUUID(), label: words.label(fileName), changes: chunk, byRecord: true }
    // In the same transaction, so that what a reload interrupts can be undone.
    await applyCommand(database, { ...command, drafts: log.add(command) }, { isChecked: false })
    written.push(command)
    onProgress(from + chunk.length)
  }
}

/**
 * Undoes an import, last chunk first. Removes its rejected changes from *needs attention*.
 *
 * @returns the number of records changed since, which stay unchanged
 */
export function undoImport(
  database: CommonPowerSyncDatabase,
  rejected: RejectedChanges,
  written: Command[],
  onProgress: (undone: number) => void,
): Promise<number> {
  return holdPage(() => undoChunks(database, rejected, written, onProgress))
}

async function undoChunks(
  database: CommonPowerSyncDatabase,
  rejected: RejectedChanges,
  written: Command[],
  onProgress: (undone: number) => void,
): Promise<number> {
  let kept = 0
  let undone = 0
  await withdrawImport(database, written, (count) => {
    undone += count
    onProgress(undone)
  })
  for (let command = written.at(-1); command; command = written.at(-1)) {
    const without = new Set(refusedRecords(await rejected.list(), command.id))
    const hadRefused = without.size > 0
    const takeBack = (): Promise<ApplyOutcome> =>
      applyCommand(database, { ...inverseOf(command), drafts: forgetChunks([command]) }, { isChecked: true, without })
    // Records that others change between two attempts also stay.
    for (let outcome = await takeBack(); outcome.kind === 'changed_since'; outcome = await takeBack()) {
      kept += outcome.records.length
      for (const record of outcome.records) without.add(recordKey(record))
    }
    if (hadRefused) await rejected.withdraw(isOfCommand(command.id))
    written.pop()
    undone += command.changes.length
    onProgress(undone)
  }
  return kept
}

/** Takes back the records that the server never saw, so that they need not be sent to be deleted. */
async function withdrawImport(
  database: CommonPowerSyncDatabase,
  written: Command[],
  onWithdrawn: (count: number) => void,
): Promise<void> {
  const [table] = written.flatMap(({ changes }) => changes.slice(0, 1).map((change) => change.table))
  if (table === undefined) return
  const gone = new Set<string>()
  const withdrawn: Command[] = []
  const commands = new Set(written.map(({ id }) => id))
  const onChunk = (ids: readonly string[]): void => {
    for (const id of ids) gone.add(id)
    onWithdrawn(ids.length)
  }
  try {
    await withdrawUnsent(database, { table, commands, onWithdrawn: onChunk })
  } finally {
    const before = written.splice(0)
    for (const command of before) {
      const changes = command.changes.filter(({ id }) => !gone.has(id))
      if (changes.length > 0) written.push({ ...command, changes })
      else withdrawn.push(command)
    }
  }
  await writeLocally(database, async (tx) => {
    for (const { sql, parameters } of forgetChunks(withdrawn)) await tx.execute(sql, [...parameters])
  })
}

/** Returns how many records of an import were changed since, which its undo keeps. */
export async function countKept(database: CommonPowerSyncDatabase, written: readonly Command[]): Promise<number> {
  let kept = 0
  // oxlint-disable-next-line no-await-in-loop -- a chunk at a time, so that other reads have their turn
  for (const command of written) kept += await countChanged(database, inverseOf(command))
  return kept
}

/** Returns why the rules would refuse to undo records of a chunk, the most frequent reason; `undefined` if none is refused. */
export async function refusalOfUndo(
  { database, judge }: Pick<LocalDatabase, 'database' | 'judge'>,
  table: TableInfo,
  command: Command,
): Promise<string | undefined> {
  const { changes } = inverseOf(command)
  const rows = await database.getAll<RecordValues & { readonly id: string }>(
    `select * from ${quoteName(table.name)} where id in (select value from json_each(?))`,
    [JSON.stringify(changes.map(({ id }) => id))],
  )
  const there = new Set(rows.map(({ id }) => id))
  const own = changes.filter(({ id }) => there.has(id))
  const { reasons } = await judgeChanges(judge, own, rows, table.descriptor.columns)
  return reasons[0]?.words
}

/** Whether changes to a table's records wait in the outbox. */
export async function hasUnsent(database: CommonPowerSyncDatabase, table: string): Promise<boolean> {
  const found = await database.getOptional(`select 1 from ps_crud where json_extract(data, '$.type') = ? limit 1`, [
    table,
  ])
  return found !== null
}
