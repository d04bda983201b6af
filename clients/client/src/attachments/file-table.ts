import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { writeLocally } from '../local-write.ts'
import { nextFile, type FileEntry, type FileEvent, type FileProblem, type FileState } from './file-state.ts'
import { forgetPicturesIn } from './small-pictures.ts'

/** A row of `hf_local_files`. */
export interface FileRow {
  readonly id: string
  readonly bucket: string
  readonly path: string
  readonly name: string
  readonly media_type: string
  readonly size: number
  readonly state: string
  readonly is_paused: number
  readonly is_eager: number
  readonly bytes_name: string | null
  readonly upload_url: string | null
  readonly sent_bytes: number
  readonly attempts: number
  readonly doubts: number
  readonly not_before: number
  readonly problem: string | null
  readonly link_position: number | null
  readonly used_at: number
  readonly added_at: number
}

/** Shared with the live query of unsent files. */
export const LIST_UNSENT_FILES_SQL = `select * from hf_local_files
 where state in ('captured', 'preparing', 'queued', 'uploading', 'refused') order by added_at, id`

/** @internal */
export const LIST_FILES_SQL = 'select * from hf_local_files order by added_at, id'

/** @internal */
export const LIST_ACTIVE_FILES_SQL = `select * from hf_local_files
 where state in ('captured', 'preparing', 'queued', 'uploading', 'uploaded', 'queued_download', 'downloading') order by added_at, id`

/** Parameter: the file's id. */
export const FILE_SQL = 'select * from hf_local_files where id = ?'

/** @see LIST_UNSENT_FILES_SQL */
export function toFile(row: FileRow): FileEntry {
  return {
    id: row.id,
    bucket: row.bucket,
    path: row.path,
    name: row.name,
    mediaType: row.media_type,
    size: row.size,
    state: row.state as FileState,
    isPaused: row.is_paused === 1,
    isEager: row.is_eager === 1,
    bytesName: row.bytes_name ?? undefined,
    uploadUrl: row.upload_url ?? undefined,
    sentBytes: row.sent_bytes,
    attempts: row.attempts,
    doubts: row.doubts,
    notBeforeMs: row.not_before,
    problem: row.problem === null ? undefined : (JSON.parse(row.problem) as FileProblem),
    linkPosition: row.link_position ?? undefined,
    usedAtMs: row.used_at,
  }
}

export interface FileTable {
  list(): Promise<readonly FileEntry[]>
  /** Lists files that may need work, excluding those at rest here or on the server. */
  listActive(): Promise<readonly FileEntry[]>
  find(id: string): Promise<FileEntry | undefined>
  findIn(tx: Transaction, id: string): Promise<FileEntry | undefined>
  /**
   * Applies an event to the stored file, read in the same transaction.
   *
   * @returns the updated file; `undefined` if the event no longer applies and nothing was written
   */
  apply(id: string, event: FileEvent): Promise<FileEntry | undefined>
  /** {@link FileTable.apply} within a larger transaction. */
  applyIn(tx: Transaction, id: string, event: FileEvent): Promise<FileEntry | undefined>
  setEager(id: string, isEager: boolean): Promise<void>
  insert(tx: Transaction, file: FileEntry, addedAtMs: number): Promise<void>
  /** Inserts files without an entry; this device may have added some concurrently. */
  insertMissing(tx: Transaction, files: readonly FileEntry[], addedAtMs: number): Promise<void>
  /** Deletes the entry and its thumbnails. */
  delete(tx: Transaction, id: string): Promise<void>
}

export interface FileTableOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** 0 to 1. */
  readonly random: () => number
}

/** The only writer of `hf_local_files`. Each event is read and written in one transaction, so tabs and restarts cannot overwrite each other. */
export function createFileTable(database: CommonPowerSyncDatabase, { now, random }: FileTableOptions): FileTable {
  return {
    async list() {
      return (await database.getAll<FileRow>(LIST_FILES_SQL)).map(toFile)
    },
    async listActive() {
      return (await database.getAll<FileRow>(LIST_ACTIVE_FILES_SQL)).map(toFile)
    },
    find: (id) => findIn(database, id),
    findIn,
    apply: (id, event) => writeLocally(database, (tx) => applyIn(tx, id, event)),
    applyIn,
    async setEager(id, isEager) {
      await database.execute('update hf_local_files set is_eager = ? where id = ?', [isEager ? 1 : 0, id])
    },
    async insert(tx, file, addedAtMs) {
      const columns = { id: file.id, ...toColumns(file), added_at: addedAtMs }
      const names = Object.keys(columns)
      await tx.execute(
        `insert into hf_local_files (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
        Object.values(columns),
      )
    },
    async insertMissing(tx, files, addedAtMs) {
      const rows = files.map((file) => ({ id: file.id, ...toColumns(file), added_at: addedAtMs }))
      const names = Object.keys(rows[0] ?? {})
      if (names.length === 0) return
      const values = names.map((name) => `value ->> '${name}'`)
      await tx.execute(
        `insert into hf_local_files (${names.join(', ')}) select ${values.join(', ')} from json_each(?)
          where value ->> 'id' not in (select id from hf_local_files)`,
        [JSON.stringify(rows)],
      )
    },
    async delete(tx, id) {
      await tx.execute('delete from hf_local_files where id = ?', [id])
      await forgetPicturesIn(tx, id)
    },
  }

  async function findIn(reader: Pick<Transaction, 'getOptional'>, id: string): Promise<FileEntry | undefined> {
    const row = await reader.getOptional<FileRow>(FILE_SQL, [id])
    return row ? toFile(row) : undefined
  }

  async function applyIn(tx: Transaction, id: string, event: FileEvent): Promise<FileEntry | undefined> {
    const file = await findIn(tx, id)
    const next = file && nextFile(file, event, { nowMs: now(), random: random() })
    if (!next) return undefined
    const columns = toColumns(next)
    const sets = Object.keys(columns).map((name) => `${name} = ?`)
    await tx.execute(`update hf_local_files set ${sets.join(', ')} where id = ?`, [...Object.values(columns), id])
    return next
  }
}

function toColumns(file: FileEntry): Omit<FileRow, 'id' | 'added_at'> {
  return {
    bucket: file.bucket,
    path: file.path,
    name: file.name,
    media_type: file.mediaType,
    size: file.size,
    state: file.state,
    is_paused: file.isPaused ? 1 : 0,
    is_eager: file.isEager ? 1 : 0,
    bytes_name: file.bytesName ?? null,
    upload_url: file.uploadUrl ?? null,
    sent_bytes: file.sentBytes,
    attempts: file.attempts,
    doubts: file.doubts,
    not_before: Math.round(file.notBeforeMs),
    problem: file.problem ? JSON.stringify(file.problem) : null,
    link_position: file.linkPosition ?? null,
    used_at: file.usedAtMs,
  }
}
