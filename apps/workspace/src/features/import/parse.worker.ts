import { openFile } from '../../lib/exchange/open-file.ts'
import { FileProblem, type FileRow } from '../../lib/exchange/opened-file.ts'
import type { ParseAnswer, ParseQuestion } from './parse-file.ts'

/** Rows per message. Each message is also copied on the page's side. */
const SLICE = 1_000

async function parse({ file, readAs }: ParseQuestion, answer: (message: ParseAnswer) => void): Promise<void> {
  const opened = await openFile(new Uint8Array(await file.arrayBuffer()), readAs)
  const { text, sheets, head, top, header } = opened
  answer({ kind: 'opened', text, sheets, head, top, header })
  let slice: FileRow[] = []
  for await (const row of opened.rows) {
    slice.push(row)
    if (slice.length < SLICE) continue
    answer({ kind: 'rows', rows: slice })
    slice = []
  }
  answer({ kind: 'rows', rows: slice })
  answer({ kind: 'done', notes: opened.notes })
}

addEventListener('message', ({ data }: MessageEvent<ParseQuestion>) => {
  const answer = (message: ParseAnswer): void => postMessage(message)
  parse(data, answer).catch((error: unknown) => {
    console.info('The file could not be read.', error)
    answer({ kind: 'failed', code: error instanceof FileProblem ? error.code : undefined })
  })
})
