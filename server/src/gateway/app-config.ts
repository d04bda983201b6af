import type { FastifyPluginAsync } from 'fastify'
import type { MapSettings } from '../config/map-settings.ts'
import { VERSION } from '../version.ts'

/** Settings visible before sign-in. Never the service key. */
export interface AppConfig {
  readonly projectName: string
  readonly anonKey: string
  /** Sample accounts, on a server that is reachable only from this machine. */
  readonly sample:
    | {
        readonly password: string
        readonly accounts: readonly { readonly email: string; readonly name: string; readonly role: string }[]
        /** The saved view shown first. */
        readonly start: { readonly table: string; readonly view: string }
      }
    | undefined
  /** Whether every user may create a workspace; otherwise an invitation is required. */
  readonly hasOpenWorkspaces: boolean
  /** Whether mails reach users; otherwise they are captured on the server. */
  readonly hasMail: boolean
  /** Whether channels are served. Without them the app does not show presence. */
  readonly hasChannels: boolean
  /** Key for push subscriptions; absent if this server sends none. */
  readonly pushKey: string | undefined
  /** Base map; without one the app draws lines itself. */
  readonly map: MapSettings | undefined
  readonly captcha: {
    /** Accounts require one, and the app can show it. */
    readonly isShownAtSignIn: boolean
    /** Of the public forms that ask for one. */
    readonly ofForms: 'work' | 'turnstile' | 'hcaptcha'
  }
  readonly account: AccountRules
}

/** Rules for account screens that GoTrue's `/settings` omits. */
export interface AccountRules {
  readonly password: {
    /** In bytes. */
    readonly lengthMin: number
    /** As in `passwordRequirements`; empty without character rules. */
    readonly requirements: string
  }
  /** Lengths of codes in mails and messages, so that forms can detect a complete code. */
  readonly codeDigits: { readonly email: number; readonly phone: number; readonly phoneFactor: number }
  /** Changing the email address also requires confirmation from the old one. */
  readonly isEmailChangeConfirmedTwice: boolean
  /** Users may link further identities themselves. */
  readonly hasManualLinking: boolean
  /** Second factors that users may add. */
  readonly factors: {
    readonly totp: boolean
    readonly phone: boolean
    readonly webauthn: boolean
    readonly recoveryCodes: boolean
  }
}

/** `GET /app/v1/config`. */
export function appConfigRoutes(config: AppConfig): FastifyPluginAsync {
  const body = {
    project: { name: config.projectName, slug: slugOf(config.projectName) },
    anonKey: config.anonKey,
    version: VERSION,
    sample: config.sample ?? null,
    hasOpenWorkspaces: config.hasOpenWorkspaces,
    hasMail: config.hasMail,
    hasChannels: config.hasChannels,
    pushKey: config.pushKey ?? null,
    map: config.map ? { style: config.map.style, darkStyle: config.map.darkStyle ?? null } : null,
    captcha: config.captcha,
    account: config.account,
  }
  return async (app) => {
    app.get('/app/v1/config', async (_request, reply) => reply.header('cache-control', 'no-cache').send(body))
  }
}

/** Lower-case letters, digits and single hyphens; names local files on the device. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return slug === '' ? 'project' : slug
}
