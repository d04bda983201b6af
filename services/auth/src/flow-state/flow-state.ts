import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'
import { badCodeVerifier, flowStateExpired, flowStateNotFound, validationFailed } from '../errors.ts'
import { FLOW_STATE_LIFETIME_S, ABANDONED_FLOW_AGE_S } from '../limits.ts'

export type CodeChallengeMethod = 's256' | 'plain'

/** PKCE challenge with which a client proves, at the end of a flow, that it started the flow. */
export interface CodeChallenge {
  readonly method: CodeChallengeMethod
  readonly challenge: string
}

export interface FlowState {
  readonly id: string
  readonly user_id: string | null
  readonly auth_code: string | null
  readonly code_challenge_method: CodeChallengeMethod | null
  readonly code_challenge: string | null
  readonly provider_type: string
  readonly provider_access_token: string | null
  readonly provider_refresh_token: string | null
  readonly authentication_method: string
  readonly created_at: Date
  readonly auth_code_issued_at: Date | null
  readonly invite_token: string | null
  readonly referrer: string | null
  readonly oauth_client_state_id: string | null
  readonly linking_target_id: string | null
  readonly email_optional: boolean
}

/**
 * @returns `undefined` for a client without PKCE
 * @throws {HoldfastError} `validation_failed`
 * @see RFC 7636, section 4.2
 */
export function parseCodeChallenge(challenge: string, method: string): CodeChallenge | undefined {
  if (challenge === '' && method === '') return undefined
  if (challenge === '' || method === '') {
    throw validationFailed('PKCE flow requires code_challenge_method and code_challenge')
  }
  if (challenge.length < 43 || challenge.length > 128) {
    throw validationFailed('code challenge has to be between 43 and 128 characters')
  }
  if (!/^[a-zA-Z0-9._~-]+$/.test(challenge)) {
    throw validationFailed(
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    )
  }
  const known = method.toLowerCase()
  if (known !== 's256' && known !== 'plain') {
    throw validationFailed(`unsupported code_challenge method ${JSON.stringify(method)}`)
  }
  return { method: known, challenge }
}

/**
 * Stores a flow that continues outside the client, at a provider or in a mailbox.
 *
 * @param input.codeChallenge - `undefined` for the implicit flow, which returns tokens in the redirect URL
 * @param input.now - ISO 8601
 */
export async function insertFlowState(
  db: Queryable,
  input: {
    readonly providerType: string
    readonly authenticationMethod: string
    readonly codeChallenge: CodeChallenge | undefined
    readonly userId?: string | undefined
    readonly inviteToken?: string | undefined
    readonly referrer?: string | undefined
    readonly oauthClientStateId?: string | undefined
    readonly linkingTargetId?: string | undefined
    readonly emailOptional?: boolean | undefined
    readonly now: string
  },
): Promise<{ readonly id: string; readonly authCode: string | undefined }> {
  const id = randomUUID()
  const authCode = input.codeChallenge === undefined ? undefined : randomUUID()
  await db.execute(sql`
    insert into auth.flow_state (
      id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, authentication_method, created_at, updated_at,
      invite_token, referrer, oauth_client_state_id, linking_target_id, email_optional
    ) values (
      ${id}, ${input.userId ?? null}, ${authCode ?? null}, ${input.codeChallenge?.method ?? null},
      ${input.codeChallenge?.challenge ?? null}, ${input.providerType}, ${input.authenticationMethod}, ${input.now}, ${input.now},
      ${input.inviteToken ?? null}, ${input.referrer ?? null}, ${input.oauthClientStateId ?? null},
      ${input.linkingTargetId ?? null}, ${input.emailOptional ?? false}
    )
  `)
  return { id, authCode }
}

/** Finds a flow and locks it until the end of the transaction, because a state works once. */
export async function lockFlowState(db: Queryable, id: string): Promise<FlowState | undefined> {
  const [state] = await db.query<FlowState>(sql`select * from auth.flow_state where id = ${id} for update`)
  return state
}

/**
 * Issues the code of the newest pending flow of this user and method, once its mail has been answered.
 *
 * @throws {HoldfastError} `flow_state_not_found`
 */
export async function issueAuthCode(
  db: Queryable,
  input: { readonly userId: string; readonly authenticationMethod: string; readonly now: string },
): Promise<string> {
  const [state] = await db.query<{ auth_code: string }>(sql`
    update auth.flow_state
       set auth_code_issued_at = ${input.now}, updated_at = ${input.now}
     where id = (
       select id from auth.flow_state
        where user_id = ${input.userId} and authentication_method = ${input.authenticationMethod} and auth_code is not null
        order by created_at desc
        limit 1
     )
    returning auth_code
  `)
  if (!state) throw flowStateNotFound('No valid flow state found for user.')
  return state.auth_code
}

/**
 * Consumes the flow of a code.
 *
 * @throws {HoldfastError} `flow_state_not_found`, `flow_state_expired`, `bad_code_verifier`
 */
export async function takeFlowState(
  db: Queryable,
  input: { readonly authCode: string; readonly codeVerifier: string; readonly nowMs: number },
): Promise<FlowState> {
  const [state] = await db.query<FlowState>(
    sql`select * from auth.flow_state where auth_code = ${input.authCode} for update`,
  )
  if (!state?.user_id || state.code_challenge === null || state.code_challenge_method === null) {
    throw flowStateNotFound('invalid flow state, no valid flow state found')
  }
  const bornAt = state.auth_code_issued_at ?? state.created_at
  if (bornAt.getTime() + FLOW_STATE_LIFETIME_S * 1000 < input.nowMs) throw flowStateExpired()
  if (!matches(state.code_challenge, state.code_challenge_method, input.codeVerifier)) throw badCodeVerifier()
  await db.execute(sql`delete from auth.flow_state where id = ${state.id}`)
  return state
}

function matches(challenge: string, method: CodeChallengeMethod, verifier: string): boolean {
  const given = method === 's256' ? createHash('sha256').update(verifier).digest('base64url') : verifier
  const left = Buffer.from(given)
  const right = Buffer.from(challenge)
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Stores the code verifier for the provider, and deletes a few unfinished flows.
 *
 * @param input.now - ISO 8601
 * @returns the id, for the flow state
 */
export async function insertClientState(
  db: Queryable,
  input: { readonly providerType: string; readonly codeVerifier: string; readonly now: string },
): Promise<string> {
  const id = randomUUID()
  await db.execute(sql`
    insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
    values (${id}, ${input.providerType}, ${input.codeVerifier}, ${input.now})
  `)
  const abandonedBefore = new Date(Date.parse(input.now) - ABANDONED_FLOW_AGE_S * 1000).toISOString()
  await db.execute(sql`
    delete from auth.oauth_client_states
     where id in (select id from auth.oauth_client_states where created_at < ${abandonedBefore} limit 100 for update skip locked)
  `)
  await db.execute(sql`
    delete from auth.flow_state
     where id in (select id from auth.flow_state where created_at < ${abandonedBefore} limit 100 for update skip locked)
  `)
  return id
}

/** Consumes a client state. Only one of two concurrent requests gets it. @returns the code verifier */
export async function takeClientState(
  db: Queryable,
  input: { readonly id: string; readonly providerType: string },
): Promise<string | undefined> {
  const [state] = await db.query<{ code_verifier: string | null }>(sql`
    delete from auth.oauth_client_states
     where id = ${input.id} and provider_type = ${input.providerType}
    returning code_verifier
  `)
  return state?.code_verifier ?? undefined
}
