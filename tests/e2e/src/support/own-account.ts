import { createHmac, randomUUID } from 'node:crypto'
import type { Browser, BrowserContextOptions, CDPSession, Page } from '@playwright/test'
import type { SupabaseClient } from '@supabase/supabase-js'
import { createClient } from '@supabase/supabase-js'
import type { Holdfast } from '@holdfast/test-support'
import { watchProblems, type Problems } from './problems.ts'

/** A person whom no other journey knows, so that their password and factors may change. */
export interface OwnAccount {
  readonly id: string
  readonly email: string
  readonly password: string
  readonly page: Page
  readonly problems: Problems
  /** supabase-js with the key that passes row-level security. */
  readonly admin: SupabaseClient
  /** Signs in on another device. */
  otherDevice(password?: string): Promise<SupabaseClient>
}

const PASSWORD = 'first password 1'
/** Where supabase-js of the app keeps the session. */
const SESSION_KEY = 'holdfast-auth'

/**
 * Makes an account and opens a browser that is signed in to it, on `localhost`: browsers give passkeys to no IP address.
 *
 * The session is made by the browser itself and put where the app finds it; how people sign in is told by other journeys.
 */
export async function openOwnAccount(
  browser: Browser,
  holdfast: Holdfast,
  contextOptions: BrowserContextOptions = {},
): Promise<OwnAccount & AsyncDisposable> {
  const admin = clientOf(holdfast, holdfast.serviceRoleKey)
  const email = `own-${randomUUID().slice(0, 8)}@northline.example`
  const { data, error } = await admin.auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
    user_metadata: { name: 'Noor Haddad' },
  })
  if (error) throw error
  const context = await browser.newContext({
    baseURL: holdfast.url.replace('127.0.0.1', 'localhost'),
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    ...contextOptions,
  })
  const problems = watchProblems(context)
  // The page that is no page of the app has no icon.
  problems.expect(/favicon\.ico/)
  const page = await context.newPage()
  await page.goto('/health')
  await page.evaluate(
    async ({ email, password, apikey, key }) => {
      const response = await fetch('/auth/v1/token?grant_type=password', {
        method: 'POST',
        headers: { apikey, 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      })
      localStorage.setItem(key, await response.text())
    },
    { email, password: PASSWORD, apikey: holdfast.anonKey, key: SESSION_KEY },
  )
  return {
    id: data.user.id,
    email,
    password: PASSWORD,
    page,
    problems,
    admin,
    async otherDevice(password = PASSWORD) {
      const client = clientOf(holdfast, holdfast.anonKey)
      const answer = await client.auth.signInWithPassword({ email, password })
      if (answer.error) throw answer.error
      return client
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

function clientOf({ url }: Holdfast, key: string): SupabaseClient {
  return createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } })
}

/** A virtual authenticator of a browser. */
export interface Authenticator {
  readonly session: CDPSession
  readonly id: string
}

/**
 * Adds an authenticator that has a passkey for every request and always confirms. It exists until the returned session is detached.
 *
 * @param transport - `internal`: built into the device; `usb`: a security key
 */
export async function addAuthenticator(page: Page, transport: 'internal' | 'usb' = 'internal'): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, id: authenticatorId }
}

/**
 * The code of an authenticator app.
 *
 * @param secret - in base32
 * @param atMs - milliseconds since 1970
 * @see RFC 6238, with 30 seconds, 6 digits and SHA-1
 */
export function totp(secret: string, atMs = Date.now()): string {
  const bits = [...secret.replaceAll(/[\s=]/g, '')]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 15
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
