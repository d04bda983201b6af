import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { AuthService } from '@holdfast/auth'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { EMAIL_CHARS_MAX, JOIN_BYTES_MAX, JOINING_MAX, NAME_CHARS_MAX, PASSWORD_CHARS_MAX } from './limits.ts'
import { answerRefusals, fieldsOf, limitPasswordHashes } from '../workspaces/app-routes.ts'
import { hashOf } from './queue.ts'

export interface JoinOptions {
  /** Connected as the project's role. */
  readonly pool: Pool
  readonly createAccount: AuthService['createInvitedAccount']
  /** Whether mails reach users. Without a mail server nobody can prove an address, so an invite link alone admits. */
  readonly hasMail: boolean
  readonly logger: Logger
}

/** As `invitations_email_form` in the database. */
const ADDRESS = /^[^@\s<>",;]+@[^@\s<>",;]+$/

interface JoinRequest {
  readonly secret: string
  readonly name: string
  readonly password: string
  /** Only with an invite link; an invitation names its address. */
  readonly email: string | undefined
}

/**
 * `POST /app/v1/invitations/join` with `{secret, name, password}`: creates the account of an invited user without one. The link proves access to the mailbox,
 * so no confirmation mail is needed, and it works with sign-up disabled. The user accepts the invitation later, signed in. With the secret of an invite link and
 * an `email` it creates an account for that address, if the server has no mail to prove it with. Returns 201 `{email}`.
 *
 * `POST /app/v1/invitations/request` with `{secret, email}`: has the holder of an invite link invited by mail, which proves the address. Returns 202 `{email}`.
 *
 * Both answer refusals as `{code, message}`: 400 `invalid_request`, 403 `address_not_proved`, 404 `invitation_not_found`, 409 `account_exists`,
 * `workspace_full`, `no_mail`, 410 `invitation_over`, 422 `weak_password`, 429 `busy`, `too_many_mails`.
 */
export function joinRoutes(options: JoinOptions): FastifyPluginAsync {
  const { pool, hasMail } = options
  const hashes = limitPasswordHashes(JOINING_MAX)
  return async (app) => {
    answerRefusals(app, options.logger, 'the account was not created')
    app.post('/app/v1/invitations/join', { bodyLimit: JOIN_BYTES_MAX }, async (request, reply) => {
      const asked = parseJoin(request)
      const email = await hashes.run({}, async () => {
        const admitted = await requireAdmitted(options, asked)
        const { name, password } = asked
        const isMade = await options.createAccount({ email: admitted, name, password, address: request.ip })
        if (!isMade)
          throw new HoldfastError(
            'account_exists',
            409,
            'This address has an account. Sign in to accept the invitation.',
          )
        return admitted
      })
      return await reply.code(201).header('cache-control', 'no-store').send({ email })
    })
    app.post('/app/v1/invitations/request', { bodyLimit: JOIN_BYTES_MAX }, async (request, reply) => {
      const { secret, email } = fieldsOf(request)
      if (!isSecret(secret) || !isAddress(email))
        throw invalid('Send the secret of an invite link and an e-mail address.')
      if (!hasMail) throw new HoldfastError('no_mail', 409, 'This server cannot send mail. Create an account instead.')
      const [answer] = await pool.query<{ outcome: string }>(
        sql`select holdfast.request_invitation(${secret}, ${email}) as outcome`,
      )
      if (answer?.outcome !== 'invited') throw refusalOf(answer?.outcome ?? 'not_found')
      return await reply.code(202).header('cache-control', 'no-store').send({ email })
    })
  }
}

/** @returns the address of the account to create */
async function requireAdmitted({ pool, hasMail }: JoinOptions, { secret, email }: JoinRequest): Promise<string> {
  if (email === undefined) return await requirePending(pool, secret)
  if (hasMail) throw new HoldfastError('address_not_proved', 403, 'Ask for a mail to this address first.')
  const [link] = await pool.query<{ state: string }>(
    sql`select holdfast.invite_link_state(holdfast.find_invite_link(${secret})) as state`,
  )
  if (link?.state !== 'pending') throw refusalOf(link?.state ?? 'not_found')
  return email
}

function refusalOf(outcome: string): HoldfastError {
  switch (outcome) {
    case 'not_found':
      return new HoldfastError('invitation_not_found', 404, 'There is no such invitation.')
    case 'not_an_address':
      return invalid('This is not an e-mail address.')
    case 'full':
      return new HoldfastError('workspace_full', 409, 'Too many invitations to this workspace are pending.')
    case 'too_many':
      return new HoldfastError('too_many_mails', 429, 'Too many mails were sent to this address. Try again tomorrow.')
    default:
      return new HoldfastError('invitation_over', 410, 'This invitation is no longer valid.')
  }
}

function invalid(message: string): HoldfastError {
  return new HoldfastError('invalid_request', 400, message)
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value)
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= EMAIL_CHARS_MAX && ADDRESS.test(value)
}

function parseJoin(request: FastifyRequest): JoinRequest {
  const { secret, name, password, email } = fieldsOf(request)
  const isNamed =
    typeof name === 'string' && name.trim() !== '' && name.length <= NAME_CHARS_MAX && !/\p{Cc}/u.test(name)
  const hasPassword = typeof password === 'string' && password !== '' && password.length <= PASSWORD_CHARS_MAX
  if (!isSecret(secret) || !isNamed || !hasPassword || (email !== undefined && !isAddress(email)))
    throw invalid('Send the secret of the invitation, a name of 1 to 60 characters and a password.')
  return { secret, name: name.trim(), password, email }
}

/** @returns the email address of a pending invitation */
async function requirePending(pool: Pool, secret: string): Promise<string> {
  const [found] = await pool.query<{ email: string; isPending: boolean }>(sql`
    select i.email, i.state = 'pending' and i.expires_at > now() as "isPending"
      from holdfast.invitation_secrets s join holdfast.invitations i on i.id = s.invitation_id where s.hash = ${hashOf(secret)}`)
  if (!found) throw refusalOf('not_found')
  if (!found.isPending) throw refusalOf('over')
  return found.email
}
