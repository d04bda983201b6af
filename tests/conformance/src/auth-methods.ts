import type { SupabaseClient } from '@supabase/supabase-js'

/** Functions that a client object carries although they are not for apps: private in TypeScript, or what it was given. */
const NOT_FOR_APPS = new Set([
  'auth.logger',
  'auth.fetch',
  'auth.isThrowOnErrorEnabled',
  'auth.signInWithEthereum',
  'auth.signInWithSolana',
  'auth.linkIdentityOAuth',
  'auth.linkIdentityIdToken',
  'auth.fetchJwk',
  'auth.admin.fetch',
])

/** Objects under `auth` that have methods of their own. */
const NAMESPACES: readonly (readonly [name: string, of: (auth: SupabaseClient['auth']) => object])[] = [
  ['auth', (auth) => auth],
  ['auth.mfa', (auth) => auth.mfa],
  ['auth.mfa.webauthn', (auth) => auth.mfa.webauthn],
  ['auth.mfa.recoveryCodes', (auth) => auth.mfa.recoveryCodes],
  ['auth.passkey', (auth) => auth.passkey],
  ['auth.oauth', (auth) => auth.oauth],
  ['auth.admin', (auth) => auth.admin],
  ['auth.admin.mfa', (auth) => auth.admin.mfa],
  ['auth.admin.oauth', (auth) => auth.admin.oauth],
  ['auth.admin.customProviders', (auth) => auth.admin.customProviders],
  ['auth.admin.passkey', (auth) => auth.admin.passkey],
]

/** Every method that an app can call, as the client object itself has them: `auth.signUp`, `auth.admin.mfa.listFactors`, … */
export function methodsOf(auth: SupabaseClient['auth']): string[] {
  return NAMESPACES.flatMap(([name, of]) => functionsOf(of(auth)).map((method) => `${name}.${method}`)).filter(
    (method) => !NOT_FOR_APPS.has(method),
  )
}

/** The objects below `auth` that this file does not know; there should be none. */
export function unknownNamespaces(auth: SupabaseClient['auth']): string[] {
  const known = new Set(NAMESPACES.map(([, of]) => of(auth)))
  return NAMESPACES.flatMap(([name, of]) =>
    Object.entries(of(auth))
      .filter(([, value]) => isNamespace(value) && !known.has(value))
      .map(([key]) => `${name}.${key}`),
  )
}

function functionsOf(object: object): string[] {
  const names = new Set<string>()
  for (let level: object | null = object; level && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (typeof value === 'function' && name !== 'constructor' && !name.startsWith('_')) names.add(name)
    }
  }
  return [...names]
}

/** A plain object of functions. */
function isNamespace(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || value instanceof Map || Array.isArray(value)) return false
  return functionsOf(value).length > 0 && !('getItem' in value) && !('then' in value)
}
