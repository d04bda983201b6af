import { AuthApiError } from '@supabase/supabase-js'
import * as v from 'valibot'
import type { Backend } from './backend.ts'
import { deviceZone } from '../time-zone.ts'
import { post, readAccessToken } from './call-function.ts'

/** The owner of a new server, who has no account yet. */
export interface NewOwner {
  readonly key: string
  readonly name: string
  readonly email: string
  readonly password: string
  readonly workspace: string
}

/** Creates the owner's account and the first workspace. @throws {AuthApiError} with the server's code; {TypeError} when it was not reached */
export async function createOwner(owner: NewOwner): Promise<void> {
  await send('/app/v1/owner', { ...owner, timeZone: deviceZone() })
}

/**
 * Starts a workspace that the signed-in user owns. Returns its id.
 *
 * @param start.key - the owner key, for the first workspace of a server
 * @throws {AuthApiError} with the server's code; {TypeError} when it was not reached
 */
export async function startWorkspace(
  { client }: Backend,
  start: { readonly workspace: string; readonly key?: string },
): Promise<string> {
  const token = await readAccessToken(client)
  const answer = await send(
    '/app/v1/workspaces',
    { ...start, timeZone: deviceZone() },
    { authorization: `Bearer ${token ?? ''}` },
  )
  return v.parse(v.object({ id: v.string() }), answer).id
}

async function send(address: string, body: object, headers?: Readonly<Record<string, string>>): Promise<unknown> {
  const response = await post(address, body, headers)
  if (response.ok) return await response.json()
  const { code, message } = (await response.json()) as { readonly code: string; readonly message: string }
  throw new AuthApiError(message, response.status, code)
}
