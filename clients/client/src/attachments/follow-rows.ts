import { LIST_FILES_SQL, toFile, type FileRow } from './file-table.ts'
import type { FileEntry } from './file-state.ts'
import { ENTRIES_TOGETHER, ORPHAN_AGE_MS } from './limits.ts'
import type { WorkContext } from './perform-work.ts'
import { reconcileRows, type AttachmentRow, type RowAction } from './reconcile-rows.ts'
import { UNDECIDED_SQL } from './waiting-rows.ts'

export interface FollowOptions extends Pick<WorkContext, 'database' | 'table' | 'store'> {
  readonly bucket: string
  readonly rows: string
  readonly now: () => number
}

/** Reconciles entries and bytes after a start, when no task is running. Neither is trusted to have survived. */
export async function recover({ table, store, now }: FollowOptions): Promise<void> {
  const stored = new Map((await store.list()).map((file) => [file.name, file]))
  for (const { id, bytesName, state } of await table.list()) {
    // Another tab may have stored it after the list was made.
    const isMissing = bytesName !== undefined && !stored.has(bytesName) && !(await store.read(bytesName))
    if (isMissing) await table.apply(id, { kind: 'bytes_missing' })
    if (['preparing', 'uploading', 'downloading'].includes(state)) await table.apply(id, { kind: 'restarted' })
  }
  const named = new Set((await table.list()).map(({ bytesName }) => bytesName))
  for (const { name, writtenAtMs } of stored.values()) {
    if (!named.has(name) && now() - writtenAtMs > ORPHAN_AGE_MS) await store.remove(name)
  }
}

/** Updates the files to match the rows. Both are read in one transaction, or a file added in between would seem to have lost its row. */
export async function followRows(options: FollowOptions): Promise<void> {
  const { database, bucket } = options
  const { rows, files, undecided } = await database.readTransaction(async (tx) => ({
    rows: await tx.getAll<AttachmentRow>(options.rows),
    files: (await tx.getAll<FileRow>(LIST_FILES_SQL)).map(toFile),
    undecided: await tx.getAll<{ id: string }>(UNDECIDED_SQL),
  }))
  const actions = reconcileRows(files, rows, { bucket, undecided: new Set(undecided.map(({ id }) => id)) })
  const inserted = actions.filter((action) => action.kind === 'insert').map(({ file }) => file)
  for (let start = 0; start < inserted.length; start += ENTRIES_TOGETHER) {
    await insert(options, inserted.slice(start, start + ENTRIES_TOGETHER))
  }
  for (const action of actions) if (action.kind !== 'insert') await apply(options, action)
}

/** In batches: a first sync brings thousands of rows. */
async function insert({ database, table, now }: FollowOptions, files: readonly FileEntry[]): Promise<void> {
  await database.writeTransaction(async (tx) => {
    await table.insertMissing(tx, files, now())
    for (const file of files) {
      if (file.isEager && file.state === 'remote') await table.applyIn(tx, file.id, { kind: 'wanted', by: 'rows' })
    }
  })
}

async function apply(
  { database, table, store }: FollowOptions,
  action: Exclude<RowAction, { readonly kind: 'insert' }>,
): Promise<void> {
  const { file } = action
  switch (action.kind) {
    case 'forget': {
      const bytesName = await database.writeTransaction(async (tx) => {
        const current = await table.findIn(tx, file.id)
        await table.delete(tx, file.id)
        return current?.bytesName
      })
      if (bytesName !== undefined) await store.remove(bytesName)
      return
    }
    case 'set_eager':
      return table.setEager(file.id, action.isEager)
    case 'want':
      await table.apply(file.id, { kind: 'wanted', by: 'rows' })
      return
    case 'row_gone':
    case 'retried':
    case 'announced':
      await table.apply(file.id, { kind: action.kind })
      return
    default:
      return action satisfies never
  }
}
