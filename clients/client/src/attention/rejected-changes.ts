import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { rebaseGuards, type UploadOperation } from '@holdfast/protocol'
import type { LinksOf } from '../upload/depends-on.ts'
import { readBases, toSent } from '../upload/guard-bases.ts'
import { toRejectedChange, type AttentionRow, type AttentionState, type RejectedChange } from './attention-item.ts'
import { allOperations } from './keep-rejected.ts'
import { takeDependents } from './queued-entries.ts'
import { writeAgain } from './write-again.ts'

/** New values for records of a rejected change, by column. */
export interface EditedValues {
  readonly table: string
  readonly recordId: string
  readonly values: Readonly<Record<string, string | number | null>>
}

/** The changes that the server did not accept, and the two ways out for each. */
export interface RejectedChanges {
  /** Undecided ones, oldest first. */
  list(): Promise<readonly RejectedChange[]>
  get(id: string): Promise<RejectedChange | undefined>
  /**
   * Writes the change again as a new local transaction, with `edits` in place of the refused values, followed by everything that waited for
   * it. All or nothing.
   *
   * @returns false when it was decided before
   * @throws {RecordGone} when a record to change is no longer on this device; the change stays undecided
   */
  retry(id: string, edits?: readonly EditedValues[]): Promise<boolean>
  /**
   * Gives the change up, with everything that waited for it. The records show the server's values with the next checkpoint.
   *
   * @returns false when it was decided before
   */
  discard(id: string): Promise<boolean>
}

export function createRejectedChanges(
  database: CommonPowerSyncDatabase,
  linksOf: LinksOf,
  now: () => number,
): RejectedChanges {
  return {
    async list() {
      const rows = await database.getAll<AttentionRow>(LIST_REJECTED_SQL)
      return rows.map(toRejectedChange)
    },
    async get(id) {
      const row = await database.getOptional<AttentionRow>('select * from hf_local_attention where id = ?', [id])
      return row ? toRejectedChange(row) : undefined
    },
    retry: (id, edits = []) =>
      decide(id, 'sent', async (tx, item, dependents) => {
        const operations = [...allOperations(item), ...dependents]
        await writeAgain(tx, editOperations(withAgreedGuards(operations, item), edits))
      }),
    discard: (id) => decide(id, 'discarded', async () => undefined),
  }

  async function decide(
    id: string,
    state: Exclude<AttentionState, 'open'>,
    act: (tx: Transaction, item: RejectedChange, dependents: readonly UploadOperation[]) => Promise<void>,
  ): Promise<boolean> {
    return database.writeTransaction(async (tx) => {
      const row = await tx.getOptional<AttentionRow>(
        `select * from hf_local_attention where id = ? and state = 'open'`,
        [id],
      )
      if (!row) return false
      const item = toRejectedChange(row)
      const queued = await takeDependents(tx, allOperations(item), linksOf)
      // What was kept here just before the device died may still stand in the queue as well.
      const known = new Set([item.position, ...item.held.map((held) => held.position)])
      const bases = await readBases(tx)
      const dependents = queued
        .filter(({ position }) => !known.has(position))
        .map((dependent) => toSent(dependent, bases, undefined))
      await act(
        tx,
        item,
        dependents.flatMap((dependent) => dependent.operations),
      )
      await tx.execute('update hf_local_attention set state = ?, held_ops = ?, decided_at = ? where id = ?', [
        state,
        JSON.stringify([...item.held, ...dependents]),
        new Date(now()).toISOString(),
        id,
      ])
      return true
    })
  }
}

/** Live queries of the list use the same words. */
export const LIST_REJECTED_SQL = `select * from hf_local_attention where state = 'open' order by position`

/** After a conflict the person has seen the server's values: those are what the write is now based on. */
function withAgreedGuards(operations: readonly UploadOperation[], item: RejectedChange): readonly UploadOperation[] {
  const { verdict } = item
  const refused = item.operations.find(({ op_id }) => op_id === verdict.op_id)
  if (verdict.status !== 'conflict' || !refused) return operations
  // Later changes of the record were made on the same sight.
  const base = { was: refused.old ?? {}, now: verdict.current }
  return operations.map((operation) =>
    operation.type === refused.type && operation.id === refused.id ? rebaseGuards(operation, base) : operation,
  )
}

/** Puts new values into the writes of a record: wherever the column is given, else into the first write. */
function editOperations(
  operations: readonly UploadOperation[],
  edits: readonly EditedValues[],
): readonly UploadOperation[] {
  const edited = [...operations]
  for (const edit of edits) {
    const writes = (operation: UploadOperation): boolean =>
      operation.type === edit.table && operation.id === edit.recordId && operation.op !== 'DELETE'
    for (const [column, value] of Object.entries(edit.values)) {
      const given = edited.flatMap((operation, index) =>
        writes(operation) && operation.data && column in operation.data ? [index] : [],
      )
      const targets = given.length > 0 ? given : [edited.findIndex(writes)]
      for (const index of targets) {
        const operation = edited[index]
        if (operation) edited[index] = { ...operation, data: { ...operation.data, [column]: value } }
      }
    }
  }
  return edited
}
