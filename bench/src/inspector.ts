import type { Holdfast } from '@holdfast/test-support'

/** Command-line option for the server's process that {@link openInspector} needs. */
export const INSPECTOR_OPTION = '--inspect-port=0'

/** Access to the server's JavaScript engine. */
export interface Inspector extends Disposable {
  /** Collects garbage, and waits until that is finished. */
  collectGarbage(): Promise<void>
  /** Heap size in use, in bytes. */
  heapBytes(): Promise<number>
}

interface Answer {
  readonly id?: number
  readonly error?: { readonly message: string }
  readonly result?: { readonly usedSize?: number }
}

/** Opens the debugger of a server that was started with {@link INSPECTOR_OPTION}. */
export async function openInspector(holdfast: Pick<Holdfast, 'pid' | 'log'>): Promise<Inspector> {
  const address = /Debugger listening on (ws:\S+)/
  if (!address.test(holdfast.log())) process.kill(holdfast.pid(), 'SIGUSR1')
  const deadline = Date.now() + 5_000
  while (!address.test(holdfast.log())) {
    if (Date.now() > deadline) throw new Error(`no debugger:\n${holdfast.log()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const socket = new WebSocket(address.exec(holdfast.log())?.[1] ?? '')
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the debugger does not answer')))
  })
  const waiting = new Map<number, (answer: Answer) => void>()
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
  })
  let calls = 0
  const call = async (method: string): Promise<Answer['result']> => {
    const id = ++calls
    const { error, result } = await new Promise<Answer>((resolve) => {
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ id, method }))
    })
    waiting.delete(id)
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
  return {
    async collectGarbage() {
      // The second collection frees what the finalizers of the first one have released.
      for (let round = 0; round < 2; round++) await call('HeapProfiler.collectGarbage')
    },
    heapBytes: async () => (await call('Runtime.getHeapUsage'))?.usedSize ?? Number.NaN,
    [Symbol.dispose]: () => socket.close(),
  }
}
