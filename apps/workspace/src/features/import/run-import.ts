import { type RejectedChanges, withdrawUnsent } from '@holdfast/client'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { holdPage } from '../../lib/data/typing.ts'
import { type ApplyOutcome, applyCommand } from '../../lib/records/apply-command.ts'
import { type Command, inverseOf, type RecordChange, recordKey } from '../../lib/records/record-change.ts'
import { isOfCommand, refusedRecords } from '../../lib/records/refused-records.ts'

/** Changes per local transaction; the user's other changes wait for at most one. */
const CHUNK = 250

export interface RunOptions {
  readonly database: CommonPowerSyncDatabase
  readonly label: string
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
  { database, label, changes, signal, onProgress }: RunOptions,
  written: Command[],
): Promise<void> {
  for (let from = 0; from < changes.length && !signal.aborted; from += CHUNK) {
    const chunk = changes.slice(from, from + CHUNK)
    const command: Command = { id: crypto.randomUUID(), label, changes: chunk, byRecord: true }
    await applyCommand(database, command, { isChecked: false })
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
      applyCommand(database, inverseOf(command), { isChecked: true, without })
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
  const commands = new Set(written.map(({ id }) => id))
  const onChunk = (ids: readonly string[]): void => {
    for (const id of ids) gone.add(id)
    onWithdrawn(ids.length)
  }
  try {
    await withdrawUnsent(database, { table, commands, onWithdrawn: onChunk })
  } finally {
    const left = written.flatMap((command) => {
      const changes = command.changes.filter(({ id }) => !gone.has(id))
      return changes.length === 0 ? [] : [{ ...command, changes }]
    })
    written.splice(0, written.length, ...left)
  }
}

/** Whether changes to a table's records wait in the outbox. */
export async function hasUnsent(database: CommonPowerSyncDatabase, table: string): Promise<boolean> {
  const found = await database.getOptional(`select 1 from ps_crud where json_extract(data, '$.type') = ? limit 1`, [
    table,
  ])
  return found !== null
}
