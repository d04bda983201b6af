import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { FileEntry } from './file-state.ts'
import type { FileTable } from './file-table.ts'
import { USED_EVERY_MS, USED_TOGETHER_MS } from './limits.ts'
import { unreferenced } from './unreferenced.ts'

export interface UsedMarksOptions {
  readonly database: CommonPowerSyncDatabase
  readonly table: FileTable
  readonly now: () => number
  readonly onProblem: (error: unknown) => void
}

/**
 * Records uses of files in batches, because a screen with a hundred images reads a hundred files at once.
 *
 * @returns records a use
 */
export function createUsedMarks({ database, table, now, onProblem }: UsedMarksOptions): (file: FileEntry) => void {
  const marked = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  return ({ id, usedAtMs }) => {
    if (now() - usedAtMs <= USED_EVERY_MS) return
    marked.add(id)
    timer ??= unreferenced(setTimeout(write, USED_TOGETHER_MS))
  }

  function write(): void {
    timer = undefined
    const ids = [...marked]
    marked.clear()
    if (database.closed) return
    const writing = database.writeTransaction(async (tx) => {
      for (const id of ids) await table.applyIn(tx, id, { kind: 'used' })
    })
    writing.catch((error: unknown) => {
      if (!database.closed) onProblem(error)
    })
  }
}
