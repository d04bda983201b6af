import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { type HostAnswer, type HostCallName, type HostCalls, type HostNote, parseJson } from '@holdfast/protocol'
import { TestingError } from './testing-error.ts'

/** A connection to a host. Its servers end with it. */
export interface HostConnection extends Disposable {
  /** @throws {TestingError} with the host's message; `test_host_gone` if it has ended */
  call<T extends HostCallName>(name: T, given: HostCalls[T]['in']): Promise<HostCalls[T]['out']>
}

/** Timeout in ms for a host's greeting. Another program may have taken the port of an ended host. */
const HELLO_MS = 5_000

/** @throws if the host no longer exists */
export async function connectTo({ port, token }: HostNote): Promise<HostConnection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  const failAll = (): void => {
    for (const { reject } of waiting.values()) reject(gone())
    waiting.clear()
    unrefIfIdle()
  }
  /** An idle connection does not keep the process alive. */
  const unrefIfIdle = (): void => void (waiting.size === 0 ? socket.unref() : socket.ref())
  socket.on('error', failAll)
  socket.on('close', failAll)
  const lines = createInterface({ input: socket })
  lines.on('error', () => undefined) // repeats the socket's errors
  lines.on('line', (line) => {
    // Another program may have the port of a host that has ended.
    const answer = parseJson(line) as HostAnswer | undefined
    if (!answer) return void socket.destroy()
    const call = waiting.get(answer.id)
    waiting.delete(answer.id)
    unrefIfIdle()
    if ('problem' in answer) call?.reject(new TestingError(answer.problem))
    else call?.resolve(answer.result)
  })
  const connection: HostConnection = {
    async call<T extends HostCallName>(name: T, given: HostCalls[T]['in']) {
      if (socket.destroyed) throw gone()
      const id = ++lastId
      const result = Promise.withResolvers<unknown>()
      waiting.set(id, result)
      unrefIfIdle()
      socket.write(`${JSON.stringify({ id, call: name, with: given })}\n`)
      return (await result.promise) as HostCalls[T]['out']
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
  const timer = setTimeout(() => socket.destroy(), HELLO_MS)
  try {
    await connection.call('hello', { token })
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
  return connection
}

function gone(): TestingError {
  return new TestingError({
    code: 'test_host_gone',
    message: 'The test host process has ended.',
    hint: 'Run the tests again. If it happens again, see the log in the temporary folder holdfast-testing-….',
  })
}
