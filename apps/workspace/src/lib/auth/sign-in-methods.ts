import * as v from 'valibot'
import { create } from 'zustand'
import { ownRequest } from '../data/own-request.ts'
import { localValue } from '../local-value.ts'

const SETTINGS_PATH = '/auth/v1/settings'
/** Wait in ms for the server's answer on a first visit, so that the screen does not change under the user's hands. */
const FIRST_WAIT_MS = 2_500

const settings = v.object({
  external: v.record(v.string(), v.unknown()),
  disable_signup: v.fallback(v.boolean(), false),
  mailer_autoconfirm: v.fallback(v.boolean(), false),
  passkeys_enabled: v.fallback(v.boolean(), false),
  custom_providers: v.fallback(
    v.optional(v.nullable(v.array(v.object({ identifier: v.string(), name: v.optional(v.string()) })))),
    undefined,
  ),
})

const methodsSchema = v.object({
  email: v.boolean(),
  phone: v.boolean(),
  passkeys: v.boolean(),
  guest: v.boolean(),
  signUp: v.boolean(),
  providers: v.array(v.object({ id: v.string(), name: v.string() })),
})

/** Sign-in methods enabled on the server. */
export type SignInMethods = v.InferOutput<typeof methodsSchema>

/** Provider names for `signInWithOAuth` and for display. */
export type Provider = SignInMethods['providers'][number]

const stored = localValue('hf-sign-in-methods', methodsSchema)

/** Initially from the last visit, then from the server; `undefined` on a device that never had an answer. */
export const useSignInMethods = create<{ readonly methods: SignInMethods | undefined }>(() => ({
  methods: stored.read(),
}))

/**
 * Refreshes the methods. Does not wait if an earlier answer is available.
 *
 * @returns when there is something to show, or nothing to expect soon
 */
export async function loadSignInMethods(anonKey: string): Promise<void> {
  const asked = askServer(anonKey).catch((error: unknown) => {
    console.info('The ways to sign in are not known.', error)
  })
  if (useSignInMethods.getState().methods !== undefined) return
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS))])
}

async function askServer(anonKey: string): Promise<void> {
  const response = await ownRequest(SETTINGS_PATH, { headers: { apikey: anonKey }, cache: 'no-store' })
  if (!response.ok) throw new Error(`${SETTINGS_PATH} answered ${response.status}`)
  const methods = toMethods(await response.json())
  if (JSON.stringify(methods) === JSON.stringify(useSignInMethods.getState().methods)) return
  stored.write(methods)
  useSignInMethods.setState({ methods })
}

const NOT_PROVIDERS = new Set(['email', 'phone', 'anonymous_users'])
const NAMES: Readonly<Record<string, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  azure: 'Microsoft',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
  workos: 'WorkOS',
}

/** @param body - of `GET /settings` */
export function toMethods(body: unknown): SignInMethods {
  const { external, custom_providers: custom, ...rest } = v.parse(settings, body)
  const known = Object.entries(external)
    .filter(([id, isOn]) => isOn === true && !NOT_PROVIDERS.has(id) && !id.startsWith('custom:'))
    .map(([id]) => ({ id, name: nameOf(id) }))
  const own = (custom ?? []).map(({ identifier, name }) => ({
    id: identifier.startsWith('custom:') ? identifier : `custom:${identifier}`,
    name: name ?? nameOf(identifier.replace(/^custom:/, '')),
  }))
  return {
    email: external['email'] === true,
    phone: external['phone'] === true,
    guest: external['anonymous_users'] === true,
    passkeys: rest.passkeys_enabled,
    signUp: !rest.disable_signup,
    providers: [...known, ...own],
  }
}

function nameOf(id: string): string {
  return NAMES[id] ?? id.charAt(0).toUpperCase() + id.slice(1).replaceAll(/[_-]/g, ' ')
}
