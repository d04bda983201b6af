import { isUnsent, NO_TRANSFER, type FileEntry } from './file-state.ts'

/** A row of the app's query: a file the user may see. */
export interface AttachmentRow {
  readonly id: string
  /** Default: the bucket of the options. */
  readonly bucket?: string | null
  /** NULL if the row references no file. */
  readonly path: string | null
  readonly name?: string | null
  readonly media_type?: string | null
  readonly size?: number | null
  /** 1: the bytes are on the server. Default: 1. */
  readonly is_uploaded?: number | null
  /** 1: download without being opened. Default: 0. */
  readonly is_eager?: number | null
}

export type RowAction =
  | { readonly kind: 'insert'; readonly file: FileEntry }
  /** Local bytes, if any, belong to nothing this user may see. */
  | { readonly kind: 'forget'; readonly file: FileEntry }
  /** The row is gone and the bytes are unsent: the user decides. */
  | { readonly kind: 'row_gone'; readonly file: FileEntry }
  /** The row has reappeared. */
  | { readonly kind: 'retried'; readonly file: FileEntry }
  | { readonly kind: 'announced'; readonly file: FileEntry }
  | { readonly kind: 'want'; readonly file: FileEntry }
  | { readonly kind: 'set_eager'; readonly file: FileEntry; readonly isEager: boolean }

/**
 * Returns the actions that make the files match the rows. Idempotent.
 *
 * @param undecided - ids in rejected changes without a decision: their rows may reappear
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

/** Whether a row references a file; an own file may be sent before its row has the path. */
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
  // The row references a different object.
  if (file.path !== row.path || file.bucket !== (row.bucket ?? bucket)) return [{ kind: 'forget', file }]
  const actions: RowAction[] = []
  if (file.isEager !== (row.is_eager === 1)) actions.push({ kind: 'set_eager', file, isEager: row.is_eager === 1 })
  if (file.state === 'elsewhere' && row.is_uploaded !== 0) actions.push({ kind: 'announced', file })
  // An evicted file is downloaded again only when opened, to avoid a loop.
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
    isEager: row.is_eager === 1,
    bytesName: undefined,
    ...NO_TRANSFER,
    usedAtMs: 0,
  }
}
