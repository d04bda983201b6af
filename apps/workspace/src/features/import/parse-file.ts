import { FILE_BYTES_MAX } from '../../lib/exchange/file-limits.ts'
import {
  type FileNotes,
  type FileOpening,
  FileProblem,
  type FileProblemCode,
  type FileRow,
  type ReadAs,
} from '../../lib/exchange/opened-file.ts'
import { importMessages as words } from '../../messages/import.ts'

export interface ParseQuestion {
  readonly file: File
  readonly readAs: ReadAs
}

/** Messages of the worker, in this order. */
export type ParseAnswer =
  | ({ readonly kind: 'opened' } & FileOpening)
  | { readonly kind: 'rows'; readonly rows: readonly FileRow[] }
  | { readonly kind: 'done'; readonly notes: FileNotes }
  | { readonly kind: 'failed'; readonly code: FileProblemCode | undefined }

/** A file whose columns have different names. */
export interface ParsedFile extends FileOpening {
  readonly name: string
  readonly rows: readonly FileRow[]
  readonly notes: FileNotes
}

/**
 * Parses a file in a worker.
 *
 * @throws {FileProblem} and the abort reason of `signal`; aborting ends the worker
 */
export async function parseFile(
  question: ParseQuestion,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<ParsedFile> {
  // Never handed over, because a worker that runs out of memory can crash the page.
  if (question.file.size > FILE_BYTES_MAX) throw new FileProblem('too_large')
  const worker = new Worker(new URL('./parse.worker.ts', import.meta.url), { type: 'module' })
  const { promise, resolve, reject } = Promise.withResolvers<ParsedFile>()
  const rows: FileRow[] = []
  let opened: FileOpening | undefined
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  worker.addEventListener('error', (event) => reject(new Error(event.message)))
  worker.addEventListener('message', ({ data }: MessageEvent<ParseAnswer>) => {
    if (data.kind === 'opened') opened = data
    else if (data.kind === 'rows') {
      for (const row of data.rows) rows.push(row)
      onProgress(rows.length)
    } else if (data.kind === 'done' && opened) {
      resolve({ ...opened, header: nameColumns(opened.header), name: question.file.name, rows, notes: data.notes })
    } else if (data.kind === 'failed')
      reject(data.code === undefined ? new Error('The file could not be read.') : new FileProblem(data.code))
  })
  worker.postMessage(question)
  try {
    signal.throwIfAborted()
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    worker.terminate()
  }
}

/** Gives each column a name of its own; those without are called by their place. */
export function nameColumns(header: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return header.map((text, index) => {
    const wanted = text === '' ? words.columnAt(index + 1) : text
    let name = wanted
    for (let copy = 2; taken.has(name.toLowerCase()); copy += 1) name = `${wanted} (${copy})`
    taken.add(name.toLowerCase())
    return name
  })
}
