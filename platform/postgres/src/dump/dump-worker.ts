import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import type { DumpStart } from './dump-thread.ts'

/*
 * Runs `pg_dump`, which is WebAssembly and waits for Postgres as any C program does: the thread stands still until its parent has passed on what Postgres answered.
 */

const { port, signal, args } = workerData as DumpStart
const arrived = new Int32Array(signal)

/** What `pg_dump` takes for a database: it has asked for no more than these three of PGlite. */
const connection = {
  execProtocolRawStream(bytes: Uint8Array, { onRawData }: { readonly onRawData: (answer: Uint8Array) => void }): void {
    port.postMessage(bytes.slice())
    Atomics.wait(arrived, 0, 0)
    Atomics.store(arrived, 0, 0)
    const answer = (receiveMessageOnPort(port as MessagePort) as { readonly message: Uint8Array } | undefined)?.message
    if (answer && answer.length > 0) onRawData(answer)
  },
  // It asks for the search_path before and after, to put it back; this session is its own.
  query: (): Promise<object> => Promise.resolve({ rows: [{ search_path: '' }] }),
  exec: (): Promise<void> => Promise.resolve(),
}

try {
  const file = await pgDump({ pg: connection as unknown as Parameters<typeof pgDump>[0]['pg'], args: [...args] })
  parentPort?.postMessage({ text: await file.text() })
} catch (error) {
  parentPort?.postMessage({ failure: error instanceof Error ? error.message : String(error) })
}
