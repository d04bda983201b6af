import { statfs } from 'node:fs/promises'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { createCaptchaProvider } from '@holdfast/auth'
import { type Cluster, type PoolShare, withOwnSettings } from '@holdfast/postgres'
import { captchaPage } from '../workspaces/forms/captcha-page.ts'
import { createRecordFiles } from '../workspaces/forms/files/record-files.ts'
import { VisitorFiles } from '../workspaces/forms/files/visitor-files.ts'
import { createFormCaptcha } from '../workspaces/forms/form-captcha.ts'
import { formRoutes } from '../workspaces/forms/form-routes.ts'
import { createProofOfWork } from '../workspaces/forms/proof-of-work.ts'
import { viewRoutes } from '../workspaces/shared-views/view-routes.ts'
import { readCaptchaSettings } from '../config/captcha-settings.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'

export interface FormsPart {
  readonly routes: FastifyPluginAsync
}

/** Opens public forms, and the pages of shared views. */
export function openForms(
  { config, logger, clock, opened, openPool }: PartContext,
  {
    cluster,
    share,
    accounts,
    secret,
    app,
  }: {
    readonly cluster: Cluster
    readonly share: PoolShare
    readonly accounts: Pick<Accounts, 'auth'>
    readonly secret: string
    readonly app: Pick<FastifyInstance, 'inject'>
  },
): FormsPart {
  const url = withOwnSettings(cluster.adminUrl, cluster.serverVersion)
  const pool = openPool({ url, applicationName: 'holdfast forms', connectionsMax: 2 })
  const requests = share.for({ userKey: 'visitors' })
  const { ofForms, page } = readCaptchaSettings(config)
  const captcha = createFormCaptcha(
    ofForms === 'work' ? createProofOfWork(secret, clock) : createCaptchaProvider(config),
    logger,
  )
  const files = config.storageEnabled
    ? opened.use(
        new VisitorFiles({
          pool,
          freeBytes: cluster.kind === 'embedded' ? () => freeBytes(config.dataDir) : () => Promise.resolve(Infinity),
          records: createRecordFiles(app, accounts.auth.apiKeys.serviceRole),
          logger,
        }),
      )
    : undefined
  const forms = formRoutes({ pool, requests, captcha, files, logger, clock })
  const views = viewRoutes({ pool, requests, claimsOf: (userId) => accounts.auth.claimsOfUser(userId), logger, clock })
  const routes: FastifyPluginAsync = async (app) => {
    await app.register(forms)
    await app.register(views)
    if (page) await app.register(captchaPage(page))
  }
  return { routes }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
