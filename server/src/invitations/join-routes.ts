import type { FastifyPluginAsync } from 'fastify'
import type { AuthService } from '@holdfast/auth'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { JOIN_BYTES_MAX, JOINING_MAX, NAME_CHARS_MAX, PASSWORD_CHARS_MAX } from './limits.ts'
import { answerRefusals, limitPasswordHashes } from '../workspaces/app-refusals.ts'
import { hashOf } from './queue.ts'

export interface JoinOptions {
  /** Connected as the project's role. */
  readonly pool: Pool
  readonly createAccount: AuthService['createInvitedAccount']
  readonly logger: Logger
}

interface JoinRequest {
  readonly secret: string
  readonly name: string
  readonly password: string
}

/**
 * `POST /app/v1/invitations/join` with `{secret, name, password}`: creates the account of an invited user without one. The link proves access to the mailbox,
 * so no confirmation mail is needed, and it works with sign-up disabled. The user accepts the invitation later, signed in.
 *
 * Returns 201 `{email}`, or `{code, message}`: 400 `invalid_request`, 404 `invitation_not_found`, 409 `account_exists`, 410 `invitation_over`, 422
 * `weak_password`, 429 `busy`.
 */
export function joinRoutes(options: JoinOptions): FastifyPluginAsync {
  const hashes = limitPasswordHashes(JOINING_MAX)
  return async (app) => {
    answerRefusals(app, options.logger, 'the account was not created')
    app.post('/app/v1/invitations/join', { bodyLimit: JOIN_BYTES_MAX }, async (request, reply) => {
      const asked = parseJoin(request.body)
      const email = await hashes.run({}, async () => {
        const invited = await requirePending(options.pool, asked.secret)
        const { name, password } = asked
        const isMade = await options.createAccount({ email: invited, name, password, address: request.ip })
        if (!isMade)
          throw new HoldfastError(
            'account_exists',
            409,
            'This address has an account. Sign in to accept the invitation.',
          )
        return invited
      })
      return await reply.code(201).header('cache-control', 'no-store').send({ email })
    })
  }
}

function parseJoin(body: unknown): JoinRequest {
  const { secret, name, password } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const isValid =
    typeof secret === 'string' &&
    /^[\w-]{43}$/.test(secret) &&
    typeof name === 'string' &&
    name.trim() !== '' &&
    name.length <= NAME_CHARS_MAX &&
    !/\p{Cc}/u.test(name) &&
    typeof password === 'string' &&
    password !== '' &&
    password.length <= PASSWORD_CHARS_MAX
  if (!isValid)
    throw new HoldfastError(
      'invalid_request',
      400,
      'Send the secret of the invitation, a name of 1 to 60 characters and a password.',
    )
  return { secret, name: name.trim(), password }
}

/** @returns the email address of a pending invitation */
async function requirePending(pool: Pool, secret: string): Promise<string> {
  const [found] = await pool.query<{ email: string; isPending: boolean }>(sql`
    select i.email, i.state = 'pending' and i.expires_at > now() as "isPending"
      from holdfast.invitation_secrets s join holdfast.invitations i on i.id = s.invitation_id where s.hash = ${hashOf(secret)}`)
  if (!found) throw new HoldfastError('invitation_not_found', 404, 'There is no such invitation.')
  if (!found.isPending) throw new HoldfastError('invitation_over', 410, 'This invitation is no longer good.')
  return found.email
}
