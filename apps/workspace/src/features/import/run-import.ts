import type { RejectedChanges } from '@holdfast/client'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { holdPage } from '../../lib/data/typing.ts'
import { type ApplyOutcome, applyCommand } from '../../lib/records/apply-command.ts'
import { type Command, inverseOf, type RecordChange, recordKey } from '../../lib/records/record-change.ts'
import { isOfCommand, refusedRecords } from '../../lib/records/refused-records.ts'

/** Changes in one local transaction: other changes of the person wait for no more than these. */
const CHUNK = 250

export interface RunOptions {
  readonly database: CommonPowerSyncDatabase
  readonly label: string
  readonly changes: readonly RecordChange[]
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

/**
 * Writes the changes of an import on this device, some at a time, each record for itself on the server. Aborted, it stops between two of them.
 *
 * @param written - receives what was written, also when a write fails
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
 * Takes an import back, the last part first. What the server refused is taken out of *needs attention*.
 *
 * @returns records that were changed since: they stay as they are
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
  for (let command = written.at(-1); command; command = written.at(-1)) {
    const without = new Set(refusedRecords(await rejected.list(), command.id))
    const hadRefused = without.size > 0
    const takeBack = (): Promise<ApplyOutcome> =>
      applyCommand(database, inverseOf(command), { isChecked: true, without })
    // What is changed by others between two tries stays as well.
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
