import { once } from 'node:events'
import { WebSocket } from 'ws'
import { HoldfastError, silentLogger, systemClock } from '@holdfast/foundation'
import { createHttpServer } from '@holdfast/http'
import { sharePool, type Pool, type PoolShare } from '@holdfast/postgres'
import { createChangeTap, type ChangeTap } from '@holdfast/replication'
import type { TestDatabase } from '@holdfast/test-support'
import type { Bus } from '../src/bus/bus.ts'
import { openLocalBus } from '../src/bus/local-bus.ts'
import { openRealtime, realtimeOptions, type RealtimeOptions, type RealtimeService } from '../src/index.ts'

export const ALICE = 'a11ce000-0000-4000-8000-000000000001'
export const BOB = 'b0b00000-0000-4000-8000-000000000002'

type Claims = Readonly<Record<string, unknown>>

const NEVER_S = 4_102_444_800

/** Decodes test tokens: `e.y.…` are expired, `x.y.z` has a foreign signature, others are invalid. */
function claimsOf(token: string): Claims {
  switch (token) {
    case 'anon':
      return { role: 'anon', exp: NEVER_S }
    case 'service':
      return { role: 'service_role', exp: NEVER_S }
    case 'alice':
    case 'alice again':
      return { role: 'authenticated', sub: ALICE, exp: NEVER_S, session: 'alice' }
    case 'bob':
      return { role: 'authenticated', sub: BOB, exp: NEVER_S, session: 'bob' }
    case 'endless':
      return { role: 'authenticated', sub: BOB }
    default:
  }
  const [, seconds] = /^brief (\d+)$/.exec(token) ?? []
  if (seconds !== undefined) return { role: 'authenticated', sub: BOB, exp: Number(seconds), session: 'brief' }
  throw token === expiredToken()
    ? new HoldfastError('token_expired', 401, 'expired')
    : new HoldfastError('bad_jwt', 401, 'bad')
}

/** A valid signature, expired since 1970. */
export function expiredToken(): string {
  return `x.${Buffer.from(JSON.stringify({ exp: 1 })).toString('base64url')}.y`
}

/** Well formed with a foreign signature. */
export const FOREIGN_TOKEN = `x.${Buffer.from('{}').toString('base64url')}.z`

/** A received message in the array form of protocol 2.0.0; for binary frames only the bytes. */
export type Received =
  | readonly [joinRef: unknown, ref: unknown, topic: string, event: string, payload: unknown]
  | Buffer

export interface TestSocket {
  readonly socket: WebSocket
  readonly received: Received[]
  /** Resolves with the code when the server closes it. */
  readonly closed: Promise<number>
  send(...message: readonly [joinRef: unknown, ref: unknown, topic: string, event: string, payload: unknown]): void
  /** Joins and waits for the reply. */
  join(topic: string, payload?: unknown): Promise<unknown>
  /** Sends a heartbeat and waits for its reply, so everything before has been read. */
  beat(): Promise<void>
  /** Waits for the first message matching the predicate and removes it. */
  next(is: (message: Received) => boolean): Promise<Received>
}

export interface RealtimeWorld extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/realtime/v1`. */
  readonly url: string
  connect(query?: string): Promise<TestSocket>
  /** Switches between standby and active. */
  standBy(isStandby: boolean): void
  /** Stops or resumes following table changes. */
  stopFollowing(isUnfollowed: boolean): void
  /** Ends all sessions with this session claim. */
  endSession(session: string): void
  stop(): Promise<void>
}

/** Public channels must not use Postgres. */
function withoutDatabase(): Pool {
  const refuse = (): Promise<never> => Promise.reject(new Error('this test has no database'))
  return {
    query: refuse,
    execute: refuse,
    transaction: refuse,
    withClient: refuse,
    usage: () => ({ open: 0, idle: 0, waiting: 0 }),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

function shareOf(database: TestDatabase | undefined): Pick<PoolShare, 'for'> {
  if (!database) return { for: () => withoutDatabase() }
  const shared = sharePool(database.requestPool, { connectionsMax: 10, shares: { realtime: { reserved: 1, max: 10 } } })
  return shared.share('realtime')
}

/** Callers are named in the header `x-who`. */
async function openApp({ routes }: RealtimeService): Promise<ReturnType<typeof createHttpServer>> {
  const app = createHttpServer({ logger: silentLogger })
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      const claims = claimsOf(String(request.headers['x-who'] ?? 'anon'))
      const { role, sub } = claims
      request.caller = {
        role: String(role),
        claims,
        userId: typeof sub === 'string' ? sub : undefined,
        expiresAtS: undefined,
      }
    })
    await scope.register(routes, { prefix: '/realtime/v1' })
  })
  return app
}

function defaultOptions(): RealtimeOptions {
  const defaults = Object.entries(realtimeOptions).map(([name, one]) => [name, one.default])
  return Object.fromEntries(defaults) as RealtimeOptions
}

/** The service behind a real HTTP server. Tokens are user names. @param database - for private channels */
export async function openRealtimeWorld(
  options: Partial<RealtimeOptions> = {},
  database?: TestDatabase,
  tap: Pick<ChangeTap, 'listen'> = createChangeTap(silentLogger),
  bus: Bus = openLocalBus(silentLogger),
): Promise<RealtimeWorld> {
  const watchers = new Map<string, Set<(reason: HoldfastError) => void>>()
  const ended = new Set<unknown>()
  const state = { isStandby: false, isUnfollowed: false }
  const realtime = openRealtime({
    bus,
    isStandby: () => state.isStandby,
    isReader: () => !state.isStandby,
    isUnfollowed: () => state.isUnfollowed,
    share: shareOf(database),
    pool: database?.pool ?? withoutDatabase(),
    tap,
    readerPool: database?.requestPool ?? withoutDatabase(),
    evaluatorPool: database?.requestPool ?? withoutDatabase(),
    hasFullIdentity: async () => false,
    areFollowed: async () => !state.isUnfollowed,
    tokens: {
      verifyToken: async (token) => claimsOf(token),
      requireSession: async ({ session }) => {
        if (ended.has(session)) throw new HoldfastError('session_not_found', 403, 'Session does not exist')
      },
      watchSession: ({ session }, onEnded) => {
        const own = watchers.get(String(session)) ?? new Set()
        watchers.set(String(session), own.add(onEnded))
        return { [Symbol.dispose]: () => void own.delete(onEnded) }
      },
    },
    options: { ...defaultOptions(), ...options },
    logger: silentLogger,
    clock: systemClock,
  })
  const app = await openApp(realtime)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `${address}/realtime/v1`
  const sockets: WebSocket[] = []
  let stopping: Promise<void> | undefined
  async function end(): Promise<void> {
    await realtime[Symbol.asyncDispose]()
    await app.close()
  }
  const stop = (): Promise<void> => (stopping ??= end())
  return {
    url,
    async connect(query = 'apikey=anon&vsn=2.0.0') {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket?${query}`)
      sockets.push(socket)
      const test = listenTo(socket, query.includes('vsn=2.0.0'))
      await once(socket, 'open')
      return test
    },
    stopFollowing: (isUnfollowed) => void (state.isUnfollowed = isUnfollowed),
    standBy: (isStandby) => void (state.isStandby = isStandby),
    endSession(session) {
      ended.add(session)
      for (const onEnded of watchers.get(session) ?? [])
        onEnded(new HoldfastError('session_not_found', 403, 'Session does not exist'))
    },
    stop,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate()
      await stop()
    },
  }
}

function listenTo(socket: WebSocket, isArrays: boolean): TestSocket {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  let refs = 0
  socket.on('message', (data: Buffer, isBinary) => {
    received.push(isBinary ? data : fromText(data.toString('utf8')))
    for (const wake of waiting) wake()
  })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))

  function next(is: (message: Received) => boolean): Promise<Received> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const position = received.findIndex(is)
        if (position < 0) return
        waiting.delete(look)
        resolve(received.splice(position, 1)[0] as Received)
      }
      waiting.add(look)
      void closed.then((code) => reject(new Error(`closed with ${code} before that came`)))
      look()
    })
  }
  const send: TestSocket['send'] = (...message) => {
    const [joinRef, ref, topic, event, payload] = message
    socket.send(JSON.stringify(isArrays ? message : { join_ref: joinRef, ref, topic, event, payload }))
  }
  const replyTo = async (ref: string): Promise<unknown> => {
    const reply = await next((message) => !Buffer.isBuffer(message) && message[1] === ref && message[3] === 'phx_reply')
    return (reply as readonly unknown[])[4]
  }
  return {
    socket,
    received,
    closed,
    send,
    next,
    async join(topic, payload = {}) {
      const ref = `j${++refs}`
      send(ref, ref, topic, 'phx_join', payload)
      return await replyTo(ref)
    },
    async beat() {
      const ref = `h${++refs}`
      send(null, ref, 'phoenix', 'heartbeat', {})
      await replyTo(ref)
    },
  }
}

/** Converts a 1.0.0 message to the 2.0.0 form. */
function fromText(text: string): Received {
  const value = JSON.parse(text) as Received | Readonly<Record<string, unknown>>
  if (Array.isArray(value)) return value as unknown as Received
  const { join_ref: joinRef = null, ref, topic, event, payload } = value as Readonly<Record<string, unknown>>
  return [joinRef, ref, String(topic), String(event), payload]
}

/** Predicate for an event name. */
export const isEvent =
  (event: string) =>
  (message: Received): boolean =>
    !Buffer.isBuffer(message) && (message as readonly unknown[])[3] === event

/** Encodes a broadcast as 2.0.0 clients do. */
export function broadcastPush(topic: string, event: string, payload: Buffer, encoding: 0 | 1, ref = ''): Buffer {
  const texts = ['', ref, topic, event, ''].map((text) => Buffer.from(text))
  return Buffer.concat([Buffer.from([3, ...texts.map(({ length }) => length), encoding]), ...texts, payload])
}
