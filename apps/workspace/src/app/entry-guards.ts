import { hasSession, type HoldfastClient, type SessionState } from '@holdfast/client'
import { redirect } from '@tanstack/react-router'
import { ownPath } from '../lib/auth/own-path.ts'
import type { AppConfig } from '../lib/data/app-config.ts'
import { sessionOf } from '../lib/data/session-of.ts'
import { useWelcomeKey } from '../lib/auth/welcome-key.ts'
import { usePendingPassword } from '../lib/pending-password.ts'

/** Arguments of these screens' guards. */
export interface Entering {
  readonly context: { readonly backend: { readonly client: Pick<HoldfastClient, 'session'> } }
  readonly search: { readonly redirect?: string | undefined }
}

/** Whether the user signed in to choose a password, which must happen first. */
export function owesPassword(session: SessionState): boolean {
  const { pending } = usePendingPassword.getState()
  return hasSession(session) && pending?.userId === session.user.id
}

/** Redirects signed-in users away. Users with an ended session may sign in again. */
export async function leaveWhenActive({ context, search }: Entering): Promise<void> {
  const session = await sessionOf(context.backend.client)
  if (session.kind !== 'active') return
  throw redirect({
    href: owesPassword(session) ? '/recover/new-password' : (ownPath(search.redirect) ?? '/w'),
    replace: true,
  })
}

/**
 * Admits to the welcome screen users with an owner key, which signs in to no existing account, and everyone on a server with the sample, which only its own
 * machine reaches. Elsewhere, a link with another user's key would sign in to that user's account.
 */
export function requireWelcome({
  context,
}: {
  readonly context: { readonly backend: { readonly config: Pick<AppConfig, 'sample'> } }
}): void {
  if (useWelcomeKey.getState().ownerKey !== undefined) return
  if (!context.backend.config.sample) throw redirect({ to: '/', replace: true })
}

/** Admits only users who are asked for a second factor. */
export async function requireSecondFactor(entering: Entering): Promise<void> {
  await leaveWhenActive(entering)
  const { kind } = await sessionOf(entering.context.backend.client)
  if (kind !== 'second_factor') throw redirect({ to: '/sign-in', search: entering.search, replace: true })
}

/** Admits only users who signed in to choose a password, after their second factor. */
export async function requirePendingPassword({ context }: Pick<Entering, 'context'>): Promise<void> {
  const session = await sessionOf(context.backend.client)
  if (session.kind === 'second_factor') {
    throw redirect({ to: '/sign-in/second-factor', search: { redirect: '/recover/new-password' }, replace: true })
  }
  if (!owesPassword(session)) throw redirect({ to: hasSession(session) ? '/w' : '/recover', replace: true })
}

/** Admits only users signed in with all their factors, because they authorize another app. */
export async function requireSignIn({
  context,
  location,
}: Pick<Entering, 'context'> & { readonly location: { readonly href: string } }): Promise<void> {
  const { kind } = await sessionOf(context.backend.client)
  const search = { redirect: location.href }
  if (kind === 'second_factor') throw redirect({ to: '/sign-in/second-factor', search, replace: true })
  if (kind !== 'active') throw redirect({ to: '/sign-in', search, replace: true })
}
