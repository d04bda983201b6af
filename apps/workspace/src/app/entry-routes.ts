import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as v from 'valibot'
import { FLOWS } from '../lib/auth/callback-url.ts'
import { loadSignInMethods } from '../lib/auth/sign-in-methods.ts'
import {
  leaveWhenActive,
  requirePendingPassword,
  requireWelcome,
  requireSecondFactor,
  requireSignIn,
} from './entry-guards.ts'
import { root, type RouterContext, text } from './root-route.ts'

/** The next page, a known identifier, and the reason for signing in: `expired`, `sample`. */
const entrySearch = v.object({ redirect: text, email: text, phone: text, reason: text })
const factorSearch = v.object({ redirect: text, factor: text })
const callbackSearch = v.object({
  redirect: text,
  provider: text,
  flow: v.fallback(v.optional(v.picklist(FLOWS)), undefined),
})
const confirmSearch = v.object({ redirect: text, token_hash: text, type: text })
const consentSearch = v.object({ authorization_id: text })

const learnMethods = ({ context }: { readonly context: RouterContext }): Promise<void> =>
  loadSignInMethods(context.backend.config.anonKey)

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  beforeLoad: requireWelcome,
  component: lazyRouteComponent(() => import('../features/welcome/welcome-screen.tsx'), 'WelcomeScreen'),
})
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
  beforeLoad: requireSecondFactor,
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
  beforeLoad: requirePendingPassword,
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
  beforeLoad: requireSignIn,
  component: lazyRouteComponent(
    () => import('../features/oauth-consent/oauth-consent-screen.tsx'),
    'OAuthConsentScreen',
  ),
})
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invite/$secret',
  component: lazyRouteComponent(() => import('../features/invitation/invitation-screen.tsx'), 'InvitationScreen'),
})

const publicForm = createRoute({
  getParentRoute: () => root,
  path: '/f/$slug',
  component: lazyRouteComponent(() => import('../features/public-form/public-form-screen.tsx'), 'PublicFormScreen'),
})

/** All routes outside the workspace: sign-in and the targets of mail links. */
export const entryRoutes = [
  welcome,
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
  invitation,
  publicForm,
] as const
