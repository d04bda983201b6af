import { timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { HoldfastError, errorMessage, parseJson } from '@holdfast/foundation'
import type { HostAnswer, HostCalls, HostProblem, HostRequest } from '@holdfast/protocol'
import { VERSION } from '../version.ts'
import { openHosted, type Hosted, type HostGround } from './hosted-server.ts'

/** Timeout in ms for a connection to authenticate. */
const HELLO_MS = 5_000

/**
 * Serves the calls of one connection until it ends, then closes its servers.
 *
 * @param input.token - required in the first call
 */
export async function serveCalls(
  socket: Socket,
  { ground, token }: { readonly ground: HostGround; readonly token: string },
): Promise<void> {
  const servers = new Map<string, Hosted>()
  const underWay = new Set<Promise<void>>()
  const stranger = setTimeout(() => socket.destroy(), HELLO_MS)
  let isWelcome = false
  socket.on('error', () => socket.destroy())
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const find = (name: string): Hosted => {
    const found = servers.get(name)
    if (!found) throw new HoldfastError('test_server_closed', 500, 'This server has been closed.')
    return found
  }
  const calls: { readonly [T in keyof HostCalls]: (given: HostCalls[T]['in']) => Promise<HostCalls[T]['out']> } = {
    async hello(given) {
      isWelcome = isSame(given.token, token)
      if (!isWelcome) throw new HoldfastError('test_host_refused', 500, 'This host belongs to another user.')
      clearTimeout(stranger)
      return { version: VERSION }
    },
    async open(given) {
      const hosted = await openHosted(ground, given)
      const described = hosted.describe()
      servers.set(described.server, hosted)
      return described
    },
    async reset({ server }) {
      await find(server).reset()
      return find(server).describe()
    },
    async advance({ server, ms }) {
      find(server).advance(ms)
      return null
    },
    query: async ({ server, text, values }) => ({ rows: await find(server).query(text, values) }),
    log: async ({ server }) => ({ text: find(server).log() }),
    async close({ server }) {
      const hosted = servers.get(server)
      servers.delete(server)
      await hosted?.[Symbol.asyncDispose]()
      return null
    },
  }

  async function answer({ id, call, with: given }: HostRequest): Promise<void> {
    try {
      if (!isWelcome && call !== 'hello') throw new HoldfastError('test_host_refused', 500, 'Say hello first.')
      const handle = calls[call] as (given: unknown) => Promise<unknown>
      send({ id, result: await handle(given) })
    } catch (error) {
      send({ id, problem: problemOf(error) })
      if (!isWelcome) socket.destroy()
    }
  }
  function send(line: HostAnswer): void {
    if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`)
  }

  const lines = createInterface({ input: socket })
  lines.on('error', () => undefined) // repeats the socket's errors, which are handled at its end
  lines.on('line', (line) => {
    const request = parseJson(line) as HostRequest | undefined
    if (!request) return void socket.destroy()
    const work = answer(request).finally(() => underWay.delete(work))
    underWay.add(work)
  })
  await gone
  clearTimeout(stranger)
  await Promise.all(underWay)
  await Promise.all([...servers.values()].map((hosted) => hosted[Symbol.asyncDispose]()))
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function problemOf(error: unknown): HostProblem {
  if (error instanceof HoldfastError)
    return { code: error.code, message: error.message, detail: error.detail, hint: error.hint }
  const { code, detail, hint } = error as { readonly code?: string; readonly detail?: string; readonly hint?: string }
  return { code: code ?? 'internal_error', message: errorMessage(error), detail, hint }
}
