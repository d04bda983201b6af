import { hasSession, type SessionState } from '@holdfast/client'
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import * as v from 'valibot'
import { FLOWS } from '../lib/auth/callback-url.ts'
import { ownPath } from '../lib/auth/own-path.ts'
import { usePendingPassword } from '../lib/pending-password.ts'
import { loadSignInMethods } from '../lib/auth/sign-in-methods.ts'
import { sessionOf } from '../lib/data/backend.ts'
import { root, type RouterContext, text } from './root-route.ts'

/** Where a person carries on afterwards, what is known of them already, and why they are here: `expired`, `sample`. */
const entrySearch = v.object({ redirect: text, email: text, phone: text, reason: text })
const factorSearch = v.object({ redirect: text, factor: text })
const callbackSearch = v.object({
  redirect: text,
  provider: text,
  flow: v.fallback(v.optional(v.picklist(FLOWS)), undefined),
})
const confirmSearch = v.object({ redirect: text, token_hash: text, type: text })
const consentSearch = v.object({ authorization_id: text })

/** What a guard of these screens is given. */
export interface Entering {
  readonly context: RouterContext
  readonly search: { readonly redirect?: string | undefined }
}

/** Somebody who was let in to choose a password does that first. */
export function owesPassword(session: SessionState): boolean {
  const { pending } = usePendingPassword.getState()
  return hasSession(session) && pending?.userId === session.user.id
}

/** Somebody who is signed in has nothing to do there; an ended session is signed in again. */
async function leaveWhenActive({ context, search }: Entering): Promise<void> {
  const session = await sessionOf(context.backend.client)
  if (session.kind !== 'active') return
  throw redirect({
    href: owesPassword(session) ? '/recover/new-password' : (ownPath(search.redirect) ?? '/w'),
    replace: true,
  })
}

const learnMethods = ({ context }: { readonly context: RouterContext }): Promise<void> =>
  loadSignInMethods(context.backend.config.anonKey)

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: entrySearch,
  beforeLoad: leaveWhenActive,
  loader: learnMethods,
  component: lazyRouteComponent(() => import('../features/sign-in/sign-in-screen.tsx'), 'SignInScreen'),
})
const signInPassword = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/password',
  validateSearch: entrySearch,
  beforeLoad: leaveWhenActive,
  component: lazyRouteComponent(() => import('../features/sign-in/password-screen.tsx'), 'PasswordScreen'),
})
const signInCode = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/code',
  validateSearch: entrySearch,
  beforeLoad: leaveWhenActive,
  component: lazyRouteComponent(() => import('../features/sign-in/code-screen.tsx'), 'CodeScreen'),
})
const secondFactor = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/second-factor',
  validateSearch: factorSearch,
  beforeLoad: async (entering) => {
    await leaveWhenActive(entering)
    const { kind } = await sessionOf(entering.context.backend.client)
    if (kind !== 'second_factor') throw redirect({ to: '/sign-in', search: entering.search, replace: true })
  },
  component: lazyRouteComponent(
    () => import('../features/second-factor/second-factor-screen.tsx'),
    'SecondFactorScreen',
  ),
})
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: entrySearch,
  beforeLoad: leaveWhenActive,
  loader: learnMethods,
  component: lazyRouteComponent(() => import('../features/sign-up/sign-up-screen.tsx'), 'SignUpScreen'),
})
const signUpConfirm = createRoute({
  getParentRoute: () => root,
  path: '/sign-up/confirm',
  validateSearch: entrySearch,
  beforeLoad: leaveWhenActive,
  component: lazyRouteComponent(() => import('../features/sign-up/confirm-screen.tsx'), 'ConfirmScreen'),
})
const recover = createRoute({
  getParentRoute: () => root,
  path: '/recover',
  validateSearch: entrySearch,
  beforeLoad: leaveWhenActive,
  component: lazyRouteComponent(() => import('../features/recover/recover-screen.tsx'), 'RecoverScreen'),
})
const recoverCode = createRoute({
  getParentRoute: () => root,
  path: '/recover/code',
  validateSearch: entrySearch,
  beforeLoad: leaveWhenActive,
  component: lazyRouteComponent(() => import('../features/recover/recovery-code-screen.tsx'), 'RecoveryCodeScreen'),
})
const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/recover/new-password',
  beforeLoad: async ({ context }) => {
    const session = await sessionOf(context.backend.client)
    if (session.kind === 'second_factor') {
      throw redirect({ to: '/sign-in/second-factor', search: { redirect: '/recover/new-password' }, replace: true })
    }
    if (!owesPassword(session)) throw redirect({ to: hasSession(session) ? '/w' : '/recover', replace: true })
  },
  component: lazyRouteComponent(() => import('../features/recover/new-password-screen.tsx'), 'NewPasswordScreen'),
})
const callback = createRoute({
  getParentRoute: () => root,
  path: '/auth/callback',
  validateSearch: callbackSearch,
  component: lazyRouteComponent(() => import('../features/auth-callback/callback-screen.tsx'), 'CallbackScreen'),
})
const confirmLink = createRoute({
  getParentRoute: () => root,
  path: '/auth/confirm',
  validateSearch: confirmSearch,
  component: lazyRouteComponent(() => import('../features/auth-callback/confirm-link-screen.tsx'), 'ConfirmLinkScreen'),
})
const consent = createRoute({
  getParentRoute: () => root,
  path: '/oauth/consent',
  validateSearch: consentSearch,
  beforeLoad: async ({ context, location }) => {
    const { kind } = await sessionOf(context.backend.client)
    const search = { redirect: location.href }
    if (kind === 'second_factor') throw redirect({ to: '/sign-in/second-factor', search, replace: true })
    if (kind !== 'active') throw redirect({ to: '/sign-in', search, replace: true })
  },
  component: lazyRouteComponent(
    () => import('../features/oauth-consent/oauth-consent-screen.tsx'),
    'OAuthConsentScreen',
  ),
})

/** Everything before the workspace: all ways in, and what links of mails lead to. */
export const entryRoutes = [
  signIn,
  signInPassword,
  signInCode,
  secondFactor,
  signUp,
  signUpConfirm,
  recover,
  recoverCode,
  newPassword,
  callback,
  confirmLink,
  consent,
] as const
