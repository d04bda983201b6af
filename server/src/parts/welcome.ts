import { WELCOMED_EMAIL } from '@holdfast/sample'
import type { Accounts } from './accounts.ts'

/** Seconds for which the key of the welcome screen is good. Source: the design of the first run. */
const WELCOME_KEY_S = 600

/**
 * Where whoever has started a server with the sample begins: signed in as its supervisor, by a key that works once. In the fragment, which no server and no log of
 * one sees.
 *
 * @returns `undefined` when that account is gone
 */
export async function welcomeUrlOf({ auth }: Accounts, baseUrl: string): Promise<string | undefined> {
  const key = await auth.issueSignInKey(WELCOMED_EMAIL, WELCOME_KEY_S)
  return key === undefined ? undefined : `${baseUrl}/welcome#key=${key}`
}
