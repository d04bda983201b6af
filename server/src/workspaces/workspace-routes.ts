import type { FastifyPluginAsync } from 'fastify'
import type { AuthService } from '@holdfast/auth'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import { sql, type Pool } from '@holdfast/postgres'
import { answerRefusals, fieldsOf, limitPasswordHashes, requireUser } from './app-routes.ts'
import type { OwnerKeys } from './owner-keys.ts'
import { alreadySetUp, hasWorkspaces, startWorkspace } from './start-workspace.ts'

/** Limits of a request in bytes, and of its fields in characters. bcrypt reads 72 bytes of a password. */
const REQUEST_BYTES_MAX = 4_096
const NAME_CHARS_MAX = 60
const WORKSPACE_CHARS_MAX = 80
const PASSWORD_CHARS_MAX = 200
const TIME_ZONE_CHARS_MAX = 64

/** Concurrent requests; each may cost a password hash. */
const AT_ONCE_MAX = 4

export interface WorkspaceRoutesOptions {
  /** Connects as the project's role. */
  readonly pool: Pool
  readonly ownerKeys: OwnerKeys
  /** Whether every user may create a workspace. */
  readonly isOpen: boolean
  readonly createAccount: AuthService['createInvitedAccount']
  /** @throws {HoldfastError} for an invalid token or an ended session */
  readonly readCaller: (token: string) => Promise<Caller>
  readonly logger: Logger
}

/**
 * `POST /app/v1/owner` with `{key, name, email, password, workspace, timeZone?}`: creates the account of the server's owner and its first workspace. The owner key
 * replaces the confirmation mail. Returns 201 `{email}`.
 * `POST /app/v1/workspaces` with `{workspace, timeZone?}` and the user's token: creates a workspace, if every user may, or the first one with the owner key as `{key}`.
 * Returns 201 `{id}`.
 * Both return refusals as `{code, message}`: 400 `invalid_request`, 401, 403 `owner_key_invalid`, `workspaces_by_invitation`, `account_not_suitable`, 409
 * `account_exists`, `too_many_workspaces`, 410 `already_set_up`, 422 `weak_password`, 429 `busy`.
 */
export function workspaceRoutes(options: WorkspaceRoutesOptions): FastifyPluginAsync {
  const { pool, ownerKeys } = options
  const hashes = limitPasswordHashes(AT_ONCE_MAX)
  return async (app) => {
    answerRefusals(app, options.logger, 'the workspace was not created')
    app.post('/app/v1/owner', { bodyLimit: REQUEST_BYTES_MAX }, async (request, reply) => {
      const body = fieldsOf(request)
      requireOwnerKey(ownerKeys, body['key'])
      const account = {
        name: readText(body, 'name', NAME_CHARS_MAX),
        email: readText(body, 'email', 255),
        password: readText(body, 'password', PASSWORD_CHARS_MAX, { isTrimmed: false }),
        address: request.ip,
      }
      const name = readText(body, 'workspace', WORKSPACE_CHARS_MAX)
      await hashes.run({}, async () => {
        if (await hasWorkspaces(pool)) throw alreadySetUp()
        if (!(await options.createAccount(account)))
          throw new HoldfastError('account_exists', 409, 'This address has an account. Sign in to continue.')
        await startWorkspace(pool, {
          name,
          owner: await userIdOf(pool, account.email),
          isFirst: true,
          timeZone: readTimeZone(body),
        })
      })
      return await reply.code(201).header('cache-control', 'no-store').send({ email: account.email })
    })
    app.post('/app/v1/workspaces', { bodyLimit: REQUEST_BYTES_MAX }, async (request, reply) => {
      const body = fieldsOf(request)
      const { userId: owner } = await requireUser(request, options.readCaller)
      const name = readText(body, 'workspace', WORKSPACE_CHARS_MAX)
      const isFirst = body['key'] !== undefined
      if (isFirst) requireOwnerKey(ownerKeys, body['key'])
      else if (!options.isOpen)
        throw new HoldfastError('workspaces_by_invitation', 403, 'Ask the owner of a workspace for an invitation.')
      const id = await hashes.run({}, () =>
        startWorkspace(pool, { name, owner, isFirst, timeZone: readTimeZone(body) }),
      )
      return await reply.code(201).header('cache-control', 'no-store').send({ id })
    })
  }
}

function readText(
  fields: Readonly<Record<string, unknown>>,
  field: string,
  charsMax: number,
  { isTrimmed = true } = {},
): string {
  const given = fields[field]
  const text = typeof given === 'string' ? (isTrimmed ? given.trim() : given) : ''
  if (text === '' || text.length > charsMax || (isTrimmed && /\p{Cc}/u.test(text)))
    throw new HoldfastError('invalid_request', 400, `"${field}" must have 1 to ${charsMax} characters in one line.`)
  return text
}

/** A name such as `Europe/Berlin`, optional. */
function readTimeZone(fields: Readonly<Record<string, unknown>>): string | undefined {
  return fields['timeZone'] === undefined ? undefined : readText(fields, 'timeZone', TIME_ZONE_CHARS_MAX)
}

function requireOwnerKey(keys: OwnerKeys, key: unknown): void {
  if (!keys.isValid(key))
    throw new HoldfastError('owner_key_invalid', 403, 'This link has expired. Restart the server to print a new one.')
}

async function userIdOf(pool: Pool, email: string): Promise<string> {
  const [user] = await pool.query<{ id: string }>(sql`select id from auth.users where email = lower(${email})`)
  if (!user) throw new HoldfastError('account_not_suitable', 403, 'The account has been changed. Sign in to continue.')
  return user.id
}
