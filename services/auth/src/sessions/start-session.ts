import type { Transaction } from '@holdfast/postgres'
import { assert } from '@holdfast/foundation'
import type { AuthContext } from '../context.ts'
import type { AuthenticationMethodName } from '../tokens/claims.ts'
import { issueAccessToken } from '../tokens/issue-tokens.ts'
import { findUserWithMethods } from './user-with-session.ts'
import { createSession } from './create-session.ts'
import type { SignedIn } from './render-session.ts'
import type { RequestOrigin } from './session-row.ts'

/** Starts a session for a person who has proved who they are, and issues its first tokens. */
export async function startSession(
  context: AuthContext,
  tx: Transaction,
  input: {
    readonly userId: string
    readonly method: AuthenticationMethodName
    readonly origin: RequestOrigin
    /** The app that the session is given to, when it is not the person's own client, and what it may know. */
    readonly oauthClient?: { readonly id: string; readonly scopes: string } | undefined
    readonly now: string
  },
): Promise<SignedIn> {
  const { sessionId, refreshToken } = await createSession(tx, input)
  const found = await findUserWithMethods(tx, input.userId, sessionId)
  assert(found, 'the session refers to the user')
  const { user, methods: amr } = found
  const access = await issueAccessToken(context, tx, {
    user,
    sessionId,
    aal: 'aal1',
    amr,
    method: input.method,
    oauthClientId: input.oauthClient?.id,
    scopes: input.oauthClient?.scopes,
    address: input.origin.address,
  })
  return { user, access, refreshToken }
}
