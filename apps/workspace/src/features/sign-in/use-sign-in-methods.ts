import { useEffect, useState } from 'react'
import * as v from 'valibot'
import { useBackend } from '../../lib/data/backend-context.tsx'

const settings = v.object({ external: v.object({ email: v.optional(v.boolean(), true) }) })

/** Which ways to sign in the server has switched on. `unknown` while it has not answered, or cannot. */
export type SignInMethods = 'unknown' | { readonly hasPassword: boolean }

/** Asks `/auth/v1/settings`; the form is usable before the answer, which can only take a way away. */
export function useSignInMethods(): SignInMethods {
  const { config } = useBackend()
  const [methods, setMethods] = useState<SignInMethods>('unknown')
  // One request for the life of the screen.
  useEffect(() => {
    const controller = new AbortController()
    fetch('/auth/v1/settings', { headers: { apikey: config.anonKey }, signal: controller.signal })
      .then(async (response) => {
        if (!response.ok) throw new Error(`/auth/v1/settings answered ${response.status}`)
        setMethods({ hasPassword: v.parse(settings, await response.json()).external.email })
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) console.info('The ways to sign in are not known.', error)
      })
    return () => controller.abort()
  }, [config.anonKey])
  return methods
}
