import { isUnsent, type FileEntry } from './file-state.ts'

/** A row of the app's query: a file that the person may see. */
export interface AttachmentRow {
  readonly id: string
  /** Default: the bucket of the options. */
  readonly bucket?: string | null
  /** NULL: the row names no file. */
  readonly path: string | null
  readonly name?: string | null
  readonly media_type?: string | null
  readonly size?: number | null
  /** 1: the bytes are on the server. Default: they are. */
  readonly is_uploaded?: number | null
  /** 1: they come down without being opened. Default: only when opened. */
  readonly is_eager?: number | null
}

export type RowAction =
  | { readonly kind: 'insert'; readonly file: FileEntry }
  /** The bytes, if they are here, belong to nothing that this person may see any more. */
  | { readonly kind: 'forget'; readonly file: FileEntry }
  /** Its row is gone and its bytes are nowhere else: a person decides. */
  | { readonly kind: 'row_gone'; readonly file: FileEntry }
  /** Its row has come back. */
  | { readonly kind: 'retried'; readonly file: FileEntry }
  | { readonly kind: 'announced'; readonly file: FileEntry }
  | { readonly kind: 'want'; readonly file: FileEntry }
  | { readonly kind: 'set_eager'; readonly file: FileEntry; readonly isEager: boolean }

/**
 * What has to be done so that the files are those of the rows. Doing it twice is doing it once.
 *
 * @param undecided - ids in refused changes that a person has still to decide about: their rows may come back
 */
export function reconcileRows(
  files: readonly FileEntry[],
  rows: readonly AttachmentRow[],
  { bucket, undecided }: { readonly bucket: string; readonly undecided: ReadonlySet<string> },
): readonly RowAction[] {
  const known = new Map(files.map((file) => [file.id, file]))
  const named = new Set(rows.filter((row) => namesFile(row, known.get(row.id))).map(({ id }) => id))
  return [
    ...files.filter(({ id }) => !named.has(id) && !undecided.has(id)).map(withoutRow),
    ...rows.filter(({ id }) => named.has(id)).flatMap((row) => ofRow(row, known.get(row.id), bucket)),
  ].filter((action) => action !== undefined)
}

/** A file of this device may be sent before its row says where it is. */
function namesFile({ path }: AttachmentRow, file: FileEntry | undefined): boolean {
  return path !== null || (file !== undefined && isOwn(file))
}

function isOwn(file: FileEntry): boolean {
  return isUnsent(file) || file.state === 'uploaded'
}

function withoutRow(file: FileEntry): RowAction | undefined {
  if (!isUnsent(file)) return { kind: 'forget', file }
  return file.state === 'refused' ? undefined : { kind: 'row_gone', file }
}

function ofRow(row: AttachmentRow, file: FileEntry | undefined, bucket: string): readonly RowAction[] {
  if (!file) return row.path === null ? [] : [{ kind: 'insert', file: toFile(row, row.path, bucket) }]
  if (file.state === 'refused' && file.problem?.code === 'row_gone') return [{ kind: 'retried', file }]
  if (isOwn(file)) return []
  // The row names another object than the one stored here.
  if (file.path !== row.path || file.bucket !== (row.bucket ?? bucket)) return [{ kind: 'forget', file }]
  const actions: RowAction[] = []
  if (file.isEager !== (row.is_eager === 1)) actions.push({ kind: 'set_eager', file, isEager: row.is_eager === 1 })
  if (file.state === 'elsewhere' && row.is_uploaded !== 0) actions.push({ kind: 'announced', file })
  // One that was evicted comes back when it is opened: else it would come and go.
  if (file.state === 'remote' && row.is_eager === 1) actions.push({ kind: 'want', file })
  return actions
}

function toFile(row: AttachmentRow, path: string, bucket: string): FileEntry {
  return {
    id: row.id,
    bucket: row.bucket ?? bucket,
    path,
    name: row.name ?? path.slice(path.lastIndexOf('/') + 1),
    mediaType: row.media_type ?? 'application/octet-stream',
    size: row.size ?? 0,
    state: row.is_uploaded === 0 ? 'elsewhere' : 'remote',
    isPaused: false,
    isEager: row.is_eager === 1,
    bytesName: undefined,
    uploadUrl: undefined,
    sentBytes: 0,
    attempts: 0,
    doubts: 0,
    notBeforeMs: 0,
    problem: undefined,
    linkPosition: undefined,
    usedAtMs: 0,
  }
}
