import { randomUUID } from 'node:crypto'
import { type AuthChangeEvent, createClient, type Session, type SupabaseClient, type User } from '@supabase/supabase-js'
import { expect, vi } from 'vitest'
import { type Pool, sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'

export const PASSWORD = 'correct horse battery'

/** What a client needs to know of a server, and what a test needs to look behind it. */
export interface AuthServer extends AsyncDisposable {
  readonly url: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly jwtSecret: string
  /** As `postgres`: for what only time or an administrator does. */
  readonly admin: Pool
}

/** A browser tab of its own: memory for storage, and a record of what it asked and was told. */
export interface AuthClient {
  readonly supabase: SupabaseClient
  readonly auth: SupabaseClient['auth']
  /** Under `session` the session, as the client wrote it. */
  readonly stored: Map<string, string>
  /** `POST /auth/v1/token`, in the order in which they were sent. */
  readonly requests: string[]
  readonly events: (readonly [event: AuthChangeEvent, userId: string | undefined])[]
  eventNames(): AuthChangeEvent[]
}

export interface AuthClientOptions {
  readonly autoRefreshToken?: boolean
  readonly flowType?: 'implicit' | 'pkce'
  /** What another tab or an earlier visit left. */
  readonly stored?: Map<string, string>
  /** Another address of the server, such as a line that can be cut. */
  readonly url?: string
  /** Another key than the anonymous one. */
  readonly key?: string
  /** Switches on the calls for recovery codes, which the client calls experimental. */
  readonly recoveryCodes?: boolean
  /** Looks at the address of the page for what a link brought back. */
  readonly detectSessionInUrl?: boolean
}

/** A person with an account and a session. */
export interface SignedUp extends AuthClient {
  readonly email: string
  readonly session: Session
  readonly user: User
}

export interface AuthWorld extends AuthServer {
  openClient(options?: AuthClientOptions): AuthClient
  /** Signs up with {@link PASSWORD} where that gives a session at once. */
  signUp(options?: AuthClientOptions & { readonly email?: string }): Promise<SignedUp>
}

/** A whole server of one's own, started with these options. */
export async function openAuthWorld(args: readonly string[] = []): Promise<AuthWorld> {
  return createAuthWorld(await openHoldfast({ args: ['--password-hash-cost=4', ...args] }))
}

export function createAuthWorld(server: AuthServer): AuthWorld {
  const clients: SupabaseClient[] = []

  function openClient(options: AuthClientOptions = {}): AuthClient {
    const stored = options.stored ?? new Map<string, string>()
    const storageKey = `tab-${randomUUID()}` // clients of one process that share a key talk to each other
    const nameOf = (key: string): string => key.replace(storageKey, 'session')
    const requests: string[] = []
    const events: [AuthChangeEvent, string | undefined][] = []
    const supabase = createClient(options.url ?? server.url, options.key ?? server.anonKey, {
      auth: {
        autoRefreshToken: options.autoRefreshToken ?? false,
        persistSession: true,
        detectSessionInUrl: options.detectSessionInUrl ?? false,
        flowType: options.flowType ?? 'implicit',
        experimental: { recoveryCodes: options.recoveryCodes ?? false },
        storageKey,
        storage: {
          getItem: (key) => stored.get(nameOf(key)) ?? null,
          setItem: (key, value) => void stored.set(nameOf(key), value),
          removeItem: (key) => void stored.delete(nameOf(key)),
        },
      },
      global: {
        fetch: (input, init) => {
          requests.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`)
          return fetch(input, init)
        },
      },
    })
    supabase.auth.onAuthStateChange((event, session) => void events.push([event, session?.user.id]))
    clients.push(supabase)
    return {
      supabase,
      auth: supabase.auth,
      stored,
      requests,
      events,
      eventNames: () => events.map(([event]) => event),
    }
  }

  return {
    url: server.url,
    anonKey: server.anonKey,
    serviceRoleKey: server.serviceRoleKey,
    jwtSecret: server.jwtSecret,
    admin: server.admin,
    openClient,
    async signUp(options = {}) {
      const client = openClient(options)
      const email = options.email ?? newAddress()
      const { data, error } = await client.auth.signUp({ email, password: PASSWORD })
      expect(error).toBeNull()
      if (!data.session || !data.user) throw new Error('signing up gives a session')
      return { ...client, email, session: data.session, user: data.user }
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.auth.dispose()
      await server[Symbol.asyncDispose]()
    },
  }
}

export function newAddress(): string {
  return `${randomUUID()}@example.org`
}

/** Digits only, as numbers are kept. */
export function newNumber(): string {
  return `1555${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
}

/** A mail as its recipient sees it. */
export interface ReceivedMail {
  readonly kind: string
  readonly subject: string
  /** The code to type. */
  readonly code: string
  /** What the link carries. */
  readonly tokenHash: string | undefined
  /** The page that the button opens, which asks for another click; empty without one. */
  readonly page: string
  /** Where its press leads, which verifies. */
  readonly link: string
}

interface MessageRow {
  readonly kind: string
  readonly subject: string
  readonly html: string
  readonly body: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** The newest mail to `recipient`, as soon as there is one of that kind. */
export async function receiveMail(world: AuthServer, recipient: string, kind: string): Promise<ReceivedMail> {
  const message = await receive(world, { channel: 'mail', recipient, kind })
  const { variables } = message
  const isForNewAddress = variables['newEmail'] === recipient && variables['tokenNew'] !== undefined
  const tokenHash = isForNewAddress ? variables['tokenHashNew'] : variables['tokenHash']
  const page = (/href="([^"]*\/auth\/confirm\?[^"]*)"/.exec(message.html)?.[1] ?? '').replaceAll('&amp;', '&')
  return {
    kind: message.kind,
    subject: message.subject,
    code: String(isForNewAddress ? variables['tokenNew'] : variables['token']),
    tokenHash: typeof tokenHash === 'string' ? tokenHash : undefined,
    page,
    link: page.replace('/auth/confirm?', '/auth/v1/verify?'),
  }
}

/** The code of the newest text message to `recipient`, as soon as there is one. */
export async function receiveSms(world: AuthServer, recipient: string, kind: string): Promise<string> {
  return String((await receive(world, { channel: 'sms', recipient, kind })).variables['code'])
}

async function receive(
  world: AuthServer,
  wanted: { readonly channel: string; readonly recipient: string; readonly kind: string },
): Promise<MessageRow> {
  return vi.waitFor(
    async () => {
      const [message] = await world.admin.query<MessageRow>(sql`
      select kind, subject, html, body, variables
        from auth.messages
       where channel = ${wanted.channel} and recipient = ${wanted.recipient} and kind = ${wanted.kind}
       order by created_at desc, id desc
       limit 1
    `)
      if (!message) throw new Error(`no ${wanted.kind} to ${wanted.recipient}`)
      return message
    },
    { timeout: 60_000 },
  )
}

/** Counts the messages sent to a recipient. */
export async function countMessages(world: AuthServer, recipient: string): Promise<number> {
  const [row] = await world.admin.query<{ count: number }>(
    sql`select count(*)::int as count from auth.messages where recipient = ${recipient}`,
  )
  return row?.count ?? 0
}

/** Opens a link as a browser does, and says where it leads without going there. */
export async function follow(link: string): Promise<URL> {
  const response = await fetch(link, { redirect: 'manual' })
  expect(response.status, await response.text()).toBe(303)
  return new URL(response.headers.get('location') ?? '')
}

/** The parameters behind `#`. */
export function fragmentOf(url: URL): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(url.hash.slice(1)))
}

/** Makes the client believe that its access token expires in the given number of seconds. */
export function expireIn(stored: Map<string, string>, seconds: number): void {
  const session = storedSession(stored)
  stored.set('session', JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + seconds }))
}

export function storedSession(stored: Map<string, string>): Session {
  return JSON.parse(stored.get('session') ?? '{}') as Session
}

export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
}
