import { AuthApiError } from '@supabase/supabase-js'
import type { Backend } from '../../lib/data/backend.ts'
import { callFunction, CallRefused, post } from '../../lib/data/call-function.ts'

/** What an invitation shows to anyone with its link: `holdfast.peek_invitation`. */
export interface Invitation {
  readonly state: 'pending' | 'expired' | 'revoked' | 'declined' | 'accepted' | 'used_up' | 'not_found'
  /** Whether anybody may join with it; otherwise it is for one address. */
  readonly is_link?: boolean
  readonly workspace?: string
  readonly inviter?: string | null
  readonly email?: string | null
  readonly role?: string
  readonly message?: string | null
  readonly team?: string | null
  /** End of a guest's access, ISO 8601. */
  readonly access_until?: string | null
  readonly has_account?: boolean
}

/** Result of an answer: `holdfast.answer_invitation`. */
export type Outcome =
  | 'accepted'
  | 'declined'
  | 'expired'
  | 'revoked'
  | 'used'
  | 'wrong_account'
  | 'unconfirmed'
  | 'not_found'
  | 'full'
  | 'too_many'

/** Calls a function and throws errors as the entry forms expect them. @throws {TypeError} if the server is unreachable; {AuthApiError} otherwise */
async function call<Result>(backend: Backend, name: string, args: object): Promise<Result> {
  try {
    return await callFunction<Result>(backend, name, args)
  } catch (error) {
    throw error instanceof CallRefused ? new AuthApiError(error.message, error.status, error.code) : error
  }
}

export function peekInvitation(backend: Backend, secret: string): Promise<Invitation> {
  return call(backend, 'peek_invitation', { secret })
}

export async function answerInvitation(backend: Backend, secret: string, accepts: boolean): Promise<Outcome> {
  const { outcome } = await call<{ readonly outcome: Outcome }>(backend, 'answer_invitation', { secret, accepts })
  return outcome
}

/** Creates an account for the holder of an invitation or, with an address, of an invite link. @throws {AuthApiError} with the server's code; {TypeError} if the server is unreachable */
export async function joinByInvitation(join: {
  readonly secret: string
  readonly email?: string
  readonly name: string
  readonly password: string
}): Promise<void> {
  await send('/app/v1/invitations/join', join)
}

/** Has the holder of an invite link invited by mail. @throws as {@link joinByInvitation} */
export async function requestInvitation(request: { readonly secret: string; readonly email: string }): Promise<void> {
  await send('/app/v1/invitations/request', request)
}

async function send(path: string, body: object): Promise<void> {
  const response = await post(path, body)
  if (response.ok) return
  const { code, message } = (await response.json()) as { readonly code: string; readonly message: string }
  throw new AuthApiError(message, response.status, code)
}
