import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'

/** Start message of the dump thread. */
export interface DumpStart {
  /** Carries messages of `pg_dump` and responses. */
  readonly port: MessagePort
  /** A single number, 1 once a response is in the port. */
  readonly signal: SharedArrayBuffer
  readonly args: readonly string[]
}

/** Receives client bytes, possibly partial messages. @returns the server's response, empty if incomplete */
export type Exchange = (bytes: Buffer) => Promise<Buffer>

/**
 * Runs `pg_dump` in a separate thread.
 *
 * @returns its output
 * @throws errors of the exchange; an `Error` with `pg_dump`'s messages
 */
export async function runDumpThread(args: readonly string[], exchange: Exchange): Promise<string> {
  const { port1, port2 } = new MessageChannel()
  const signal = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const arrived = new Int32Array(signal)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const start: DumpStart = { port: port2, signal, args }
  const worker = new Worker(new URL('./dump-worker.js', import.meta.url), { workerData: start, transferList: [port2] })
  worker.on('error', reject)
  worker.on('exit', () => reject(new Error('pg_dump ended without a word')))
  worker.on('message', ({ text, failure }: { readonly text?: string; readonly failure?: string }) =>
    text === undefined ? reject(new Error(failure)) : resolve(text),
  )
  port1.on('message', (bytes: Uint8Array) => {
    exchange(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).then((answer) => {
      port1.postMessage(answer)
      Atomics.store(arrived, 0, 1)
      Atomics.notify(arrived, 0)
    }, reject)
  })
  try {
    return await promise
  } finally {
    port1.close()
    await worker.terminate()
  }
}
