import type { FastifyPluginAsync } from 'fastify'
import { WELCOMED_EMAIL } from '@holdfast/sample'
import { type Cluster, type SharedPool, withOwnSettings } from '@holdfast/postgres'
import { callerReader } from '../gateway/authenticate.ts'
import type { Welcome } from '../holdfast.ts'
import type { RequestShare } from '../request-shares.ts'
import { accessRoutes } from '../workspaces/access/access-routes.ts'
import { createOwnerKeys } from '../workspaces/owner-keys.ts'
import { openPurge } from '../workspaces/purge-deleted.ts'
import { hasWorkspaces } from '../workspaces/start-workspace.ts'
import { workspaceRoutes } from '../workspaces/workspace-routes.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'

/** Lifetime of the sample's sign-in key, in seconds. */
const WELCOME_KEY_S = 600

export interface WorkspacesPart {
  readonly routes: FastifyPluginAsync
  /** Issues a new key that makes its first user the server's owner; `undefined` once the server has a workspace. */
  issueOwnerKey(): Promise<string | undefined>
}

/** Opens workspace creation, what owners and admins read about access, and the purge of what they deleted. */
export function openWorkspaces(
  { config, logger, clock, opened, openPool }: PartContext,
  given: {
    readonly cluster: Cluster
    readonly accounts: Accounts
    readonly secret: string
    readonly shares: SharedPool<RequestShare>
  },
): WorkspacesPart {
  const { auth, sessions } = given.accounts
  const { adminUrl, serverVersion } = given.cluster
  const url = withOwnSettings(adminUrl, serverVersion)
  const pool = openPool({ url, applicationName: 'holdfast workspaces', connectionsMax: 1 })
  const ownerKeys = createOwnerKeys(given.secret, clock)
  opened.use(openPurge({ pool, logger })).wake()
  const readCaller = callerReader(auth.verifyToken, (claims) => sessions.require(claims))
  const starting = workspaceRoutes({
    pool,
    ownerKeys,
    isOpen: config.openWorkspaces,
    createAccount: (account) => auth.createInvitedAccount(account),
    readCaller,
    logger,
  })
  const access = accessRoutes({
    pool: openPool({ url, applicationName: 'holdfast access', connectionsMax: 1 }),
    share: given.shares.share('access'),
    claimsOf: (userId) => auth.claimsOfUser(userId),
    readCaller,
    logger,
  })
  const routes: FastifyPluginAsync = async (app) => {
    await app.register(starting)
    await app.register(access)
  }
  return { routes, issueOwnerKey: async () => ((await hasWorkspaces(pool)) ? undefined : ownerKeys.issue()) }
}

/**
 * Creates the link printed at startup. Its key is in the fragment, which is never sent to a server or logged.
 *
 * @returns `undefined` if the sample's account is gone, or the server has a workspace
 */
export async function createWelcome(
  { auth }: Accounts,
  workspaces: WorkspacesPart,
  { baseUrl, hasSample }: { readonly baseUrl: string; readonly hasSample: boolean },
): Promise<Welcome | undefined> {
  const key = hasSample ? await auth.issueSignInKey(WELCOMED_EMAIL, WELCOME_KEY_S) : await workspaces.issueOwnerKey()
  if (key === undefined) return undefined
  return hasSample
    ? { kind: 'sample', url: `${baseUrl}/welcome#key=${key}` }
    : { kind: 'owner', url: `${baseUrl}/welcome#owner=${key}` }
}
