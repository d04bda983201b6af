import { useCallback } from 'react'
import { type SignInMethods, toMethods } from '../../lib/auth/sign-in-methods.ts'
import { type AccountRules, fetchConfig } from '../../lib/data/app-config.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { ownRequest } from '../../lib/data/own-request.ts'
import { type OnlineRead, useOnlineRead } from './use-online-read.ts'

/** What the server allows users to do with their accounts. */
export type AuthSettings = SignInMethods & AccountRules

export interface AuthSettingsRead {
  readonly state: OnlineRead<AuthSettings>
  readonly reload: () => Promise<void>
}

/** Fetches the server's current sign-in methods. */
export function useAuthSettings(): AuthSettingsRead {
  const { config } = useBackend()
  const read = useCallback(async (): Promise<AuthSettings> => {
    const [response, { account }] = await Promise.all([
      ownRequest('/auth/v1/settings', { headers: { apikey: config.anonKey }, cache: 'no-store' }),
      fetchConfig(),
    ])
    if (!response.ok) throw new Error(`/auth/v1/settings answered ${response.status}`)
    return { ...account, ...toMethods(await response.json()) }
  }, [config.anonKey])
  return useOnlineRead(read)
}
