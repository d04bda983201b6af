import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import type { DumpStart } from './dump-thread.ts'

/* Runs `pg_dump` compiled to WebAssembly, which waits synchronously: the thread blocks until its parent has passed on Postgres's response. */

const { port, signal, args } = workerData as DumpStart
const arrived = new Int32Array(signal)

/** Database interface for `pg_dump`, which uses only these three of PGlite's methods. */
const connection = {
  execProtocolRawStream(bytes: Uint8Array, { onRawData }: { readonly onRawData: (answer: Uint8Array) => void }): void {
    port.postMessage(bytes.slice())
    Atomics.wait(arrived, 0, 0)
    Atomics.store(arrived, 0, 0)
    const answer = (receiveMessageOnPort(port as MessagePort) as { readonly message: Uint8Array } | undefined)?.message
    if (answer && answer.length > 0) onRawData(answer)
  },
  // It saves and restores the search_path; this session is not shared.
  query: (): Promise<object> => Promise.resolve({ rows: [{ search_path: '' }] }),
  exec: (): Promise<void> => Promise.resolve(),
}

try {
  const file = await pgDump({ pg: connection as unknown as Parameters<typeof pgDump>[0]['pg'], args: [...args] })
  parentPort?.postMessage({ text: await file.text() })
} catch (error) {
  parentPort?.postMessage({ failure: error instanceof Error ? error.message : String(error) })
}
