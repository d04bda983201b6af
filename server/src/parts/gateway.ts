import { fileURLToPath } from 'node:url'
import type { FunctionsService } from '@holdfast/functions'
import { networkOf } from '@holdfast/http'
import type { Cluster } from '@holdfast/postgres'
import type { RealtimeService } from '@holdfast/realtime'
import type { RestService } from '@holdfast/rest'
import { firstViewOf, SAMPLE_PASSWORD, SAMPLE_SEED, sampleAccounts } from '@holdfast/sample'
import { keyDemandOf, type StorageService } from '@holdfast/storage'
import type { SyncService } from '@holdfast/sync'
import { servesThisMachineOnly } from '../config/loopback.ts'
import { readCaptchaSettings } from '../config/captcha-settings.ts'
import { readMapSettings } from '../config/map-settings.ts'
import type { Config } from '../config/options.ts'
import type { AppConfig } from '../gateway/app-config.ts'
import { mountGateway } from '../gateway/gateway.ts'
import type { HealthReport } from '../gateway/health.ts'
import type { Family } from '../gateway/metrics/families.ts'
import { RequestMetrics } from '../gateway/metrics/request-metrics.ts'
import type { SchemaWatch } from '../watch-schemas.ts'
import type { Accounts } from './accounts.ts'
import type { ConsolePart } from './console.ts'
import { readMetrics } from './metrics.ts'
import type { DigestsPart } from './digests.ts'
import type { AutomationsPart } from './automations.ts'
import type { FormsPart } from './forms.ts'
import type { InvitationsPart } from './invitations.ts'
import type { PartContext } from './part-context.ts'
import type { PushPart } from './push.ts'
import type { WorkspacesPart } from './workspaces.ts'

/** Output folders of `npm run build` for the apps and the docs site. */
const APP_DIRECTORY = fileURLToPath(new URL('../../../apps/workspace/dist/', import.meta.url))
const CONSOLE_DIRECTORY = fileURLToPath(new URL('../../../apps/console/dist/', import.meta.url))
const DOCS_DIRECTORY = fileURLToPath(new URL('../../../apps/docs/dist/', import.meta.url))

export interface GatewayParts {
  readonly cluster: Cluster
  readonly accounts: Accounts
  readonly rest: RestService
  readonly storage: StorageService | undefined
  readonly realtime: RealtimeService | undefined
  readonly functions: FunctionsService | undefined
  readonly sync: SyncService
  readonly schemas: SchemaWatch
  readonly push: PushPart | undefined
  readonly workspaces: WorkspacesPart
  readonly invitations: InvitationsPart
  readonly forms: FormsPart
  readonly automations: AutomationsPart
  readonly digests: DigestsPart
  readonly operators: ConsolePart | undefined
  readonly hasSample: boolean
}

export interface Gateway {
  /** Collects the metrics for `/metrics`. */
  readonly readMetrics: () => Promise<readonly Family[]>
}

/** Mounts the routes of all parts. */
export async function openGateway(
  app: Parameters<typeof mountGateway>[0],
  context: PartContext,
  parts: GatewayParts,
): Promise<Gateway> {
  const { config, logger } = context
  const { cluster, accounts, rest, storage, realtime, sync } = parts
  const { auth, sessions } = accounts
  const requests = new RequestMetrics(parts.operators?.history)
  const read = async (): Promise<readonly Family[]> => [...(await readMetrics(context, parts)), ...requests.families()]
  await mountGateway(app, {
    auth: auth.routes,
    authDiscovery: auth.discovery,
    rest: rest.routes,
    storage: storage && { routes: storage.routes, keyDemandOf },
    realtime: realtime?.routes,
    functions: parts.functions?.routes,
    mailbox:
      auth.captured && config.mailbox
        ? { messages: auth.captured, servesThisMachineOnly: servesThisMachineOnly(config) }
        : undefined,
    onAnswered(request) {
      requests.record(request)
      context.logs?.addRequest(request, networkOf(request.address))
    },
    metrics: { token: config.metricsToken, read },
    sync: sync.routes,
    withoutSignIn: [
      parts.workspaces.routes,
      parts.invitations.routes,
      parts.forms.routes,
      parts.automations.routes,
      parts.digests.routes,
    ],
    verifyToken: auth.verifyToken,
    verifyAdminToken: auth.verifyAdminToken,
    requireSession: (claims) => sessions.require(claims),
    restRequiresSession: config.restSessionCheck,
    allowsNoKey: config.allowRequestsWithoutKey,
    anonymousRole: rest.anonymousRole,
    corsOrigins: config.corsOrigins,
    isDatabaseUp: cluster.isUp,
    health: () => reportHealth(parts),
    config: appConfigOf(config, {
      anonKey: auth.apiKeys.anon,
      hasMail: auth.captured === undefined,
      hasSample: parts.hasSample,
      push: parts.push,
    }),
    appDirectory: APP_DIRECTORY,
    console: parts.operators && { routes: parts.operators.routes, directory: CONSOLE_DIRECTORY },
    docsDirectory: config.docs ? DOCS_DIRECTORY : undefined,
    logger,
  })
  return { readMetrics: read }
}

function reportHealth({ cluster, sync, schemas }: GatewayParts): HealthReport {
  const status = sync.status()
  return {
    database: cluster.isUp() ? 'up' : 'down',
    sync: status.refused ? 'refused' : status.standby ? 'standby' : status.ready ? 'ready' : 'preparing',
    role: sync.isStandby ? 'follower' : 'reader',
    lagSeconds: status.lagSeconds,
    replica: status.replica,
    rowsRead: status.filling?.rows,
    problem: [status.problem, schemas.problem, status.floods].filter(Boolean).join('; ') || undefined,
  }
}

function appConfigOf(
  config: Config,
  {
    anonKey,
    hasMail,
    hasSample,
    push,
  }: {
    readonly anonKey: string
    readonly hasMail: boolean
    readonly hasSample: boolean
    readonly push: PushPart | undefined
  },
): AppConfig {
  const captcha = readCaptchaSettings(config)
  return {
    projectName: config.projectName,
    anonKey,
    sample: hasSample
      ? {
          password: SAMPLE_PASSWORD,
          accounts: sampleAccounts.map(({ email, name, what }) => ({ email, name, role: what })),
          start: firstViewOf(SAMPLE_SEED),
        }
      : undefined,
    hasOpenWorkspaces: config.openWorkspaces,
    hasMail,
    hasChannels: config.realtimeEnabled,
    pushKey: push?.publicKey,
    map: readMapSettings(config),
    captcha: { isShownAtSignIn: captcha.isShownAtSignIn, ofForms: captcha.ofForms },
    account: {
      password: { lengthMin: config.minimumPasswordLength, requirements: config.passwordRequirements },
      codeDigits: {
        email: config.emailOtpLength,
        phone: config.smsOtpLength,
        phoneFactor: config.mfaPhoneOtpLength,
      },
      isEmailChangeConfirmedTwice: config.emailDoubleConfirmChanges,
      hasManualLinking: config.enableManualLinking,
      factors: {
        totp: config.mfaTotpEnrollEnabled,
        phone: config.mfaPhoneEnrollEnabled,
        webauthn: config.mfaWebAuthnEnrollEnabled,
        recoveryCodes: config.mfaRecoveryCodesEnrollEnabled,
      },
    },
  }
}
