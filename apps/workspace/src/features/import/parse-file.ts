import { FILE_BYTES_MAX } from '../../lib/exchange/file-limits.ts'
import {
  FileProblem,
  type FileProblemCode,
  type FileRow,
  type OpenedFile,
  type ReadAs,
} from '../../lib/exchange/open-file.ts'

export interface ParseQuestion {
  readonly file: File
  readonly readAs: ReadAs
}

/** Messages of the worker, in this order. */
export type ParseAnswer =
  | ({ readonly kind: 'opened' } & Pick<OpenedFile, 'header' | 'text'>)
  | { readonly kind: 'rows'; readonly rows: readonly FileRow[] }
  | { readonly kind: 'done'; readonly hasOpenQuote: boolean }
  | { readonly kind: 'failed'; readonly code: FileProblemCode | undefined }

export interface ParsedFile extends Pick<OpenedFile, 'header' | 'text' | 'hasOpenQuote'> {
  readonly name: string
  readonly rows: readonly FileRow[]
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
  let opened: Pick<OpenedFile, 'header' | 'text'> = { header: [], text: undefined }
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  worker.addEventListener('error', (event) => reject(new Error(event.message)))
  worker.addEventListener('message', ({ data }: MessageEvent<ParseAnswer>) => {
    if (data.kind === 'opened') opened = data
    else if (data.kind === 'rows') {
      for (const row of data.rows) rows.push(row)
      onProgress(rows.length)
    } else if (data.kind === 'done') {
      resolve({
        name: question.file.name,
        rows,
        header: opened.header,
        text: opened.text,
        hasOpenQuote: data.hasOpenQuote,
      })
    } else reject(data.code === undefined ? new Error('The file could not be read.') : new FileProblem(data.code))
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
