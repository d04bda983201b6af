import { randomUUID } from 'node:crypto'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import type { Browser, Page } from '@playwright/test'
import type { Holdfast } from '@holdfast/test-support'
import { totp } from './own-account.ts'
import { watchProblems, type Problems } from './problems.ts'

/** A person at a device that was never here, with an address that no other user has. */
export interface Stranger {
  readonly email: string
  /** Of the account, once there is one. */
  readonly password: string
  /** On `localhost`: browsers give passkeys to no IP address. */
  readonly page: Page
  readonly problems: Problems
  readonly admin: SupabaseClient
  /** They have a confirmed account, and are not signed in. */
  withAccount(): Promise<{ readonly email: string }>
  /**
   * On another device they add an authenticator app to their account.
   *
   * @returns its secret, in base32; the code of the half minute before has been used
   */
  addSecondStep(): Promise<string>
  /** They sign in on another device. */
  otherDevice(password?: string): Promise<SupabaseClient>
  /** The device forgets who was signed in. */
  forget(): Promise<void>
}

export async function openStranger(browser: Browser, holdfast: Holdfast): Promise<Stranger & AsyncDisposable> {
  const email = `stranger-${randomUUID().slice(0, 8)}@northline.example`
  const password = 'first password 1'
  const admin = clientOf(holdfast, holdfast.serviceRoleKey)
  const context = await browser.newContext({
    baseURL: holdfast.url.replace('127.0.0.1', 'localhost'),
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/London',
  })
  const problems = watchProblems(context)
  // The page that is no page of the app has no icon.
  problems.expect(/favicon\.ico/)
  const page = await context.newPage()
  const stranger: Stranger = {
    email,
    password,
    page,
    problems,
    admin,
    async withAccount() {
      const { error } = await admin.auth.admin.createUser({
        email,
        password,
        email_confirm: true,
        user_metadata: { name: 'Noor Haddad' },
      })
      if (error) throw error
      return { email }
    },
    async addSecondStep() {
      const { auth } = await stranger.otherDevice()
      const { data: factor, error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Work phone' })
      if (error) throw error
      const code = totp(factor.totp.secret, Date.now() - 30_000)
      const verified = await auth.mfa.challengeAndVerify({ factorId: factor.id, code })
      if (verified.error) throw verified.error
      return factor.totp.secret
    },
    async otherDevice(tried = password) {
      const client = clientOf(holdfast, holdfast.anonKey)
      const { error } = await client.auth.signInWithPassword({ email, password: tried })
      if (error) throw error
      return client
    },
    async forget() {
      for (const tab of context.pages().slice(1)) await tab.close()
      await page.goto('/health')
      await page.evaluate(() => localStorage.clear())
      await page.goto('/sign-in')
    },
  }
  return { ...stranger, [Symbol.asyncDispose]: () => context.close() }
}

function clientOf({ url }: Holdfast, key: string): SupabaseClient {
  return createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } })
}
