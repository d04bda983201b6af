import { FileProblem, openFile } from '../../lib/exchange/open-file.ts'
import type { ParseAnswer, ParseQuestion } from './parse-file.ts'

/** Rows per message. Each message is also copied on the page's side. */
const SLICE = 1_000

async function parse({ file, readAs }: ParseQuestion, answer: (message: ParseAnswer) => void): Promise<void> {
  const opened = await openFile(new Uint8Array(await file.arrayBuffer()), readAs)
  answer({ kind: 'opened', header: opened.header, text: opened.text })
  let slice: { readonly row: number; readonly cells: readonly string[] }[] = []
  for await (const row of opened.rows) {
    slice.push(row)
    if (slice.length < SLICE) continue
    answer({ kind: 'rows', rows: slice })
    slice = []
  }
  answer({ kind: 'rows', rows: slice })
  answer({ kind: 'done', hasOpenQuote: opened.hasOpenQuote })
}

addEventListener('message', ({ data }: MessageEvent<ParseQuestion>) => {
  const answer = (message: ParseAnswer): void => postMessage(message)
  parse(data, answer).catch((error: unknown) => {
    console.info('The file could not be read.', error)
    answer({ kind: 'failed', code: error instanceof FileProblem ? error.code : undefined })
  })
})
