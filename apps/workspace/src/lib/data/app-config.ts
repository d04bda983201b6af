import * as v from 'valibot'
import { localValue } from '../local-value.ts'
import type { PasswordRules } from '../password-rules.ts'

const CONFIG_PATH = '/app/v1/config'
const CONFIG_TIMEOUT_MS = 8_000

/** The server's defaults, for an older server or cached settings. */
const DEFAULT_RULES: AccountRules = {
  password: { lengthMin: 6, requirements: '' },
  codeDigits: { email: 6, phone: 6, phoneFactor: 6 },
  isEmailChangeConfirmedTwice: true,
  hasManualLinking: false,
  factors: { totp: true, phone: false, webauthn: false, recoveryCodes: false },
}

const rules = v.object({
  password: v.object({ lengthMin: v.number(), requirements: v.string() }),
  codeDigits: v.object({ email: v.number(), phone: v.number(), phoneFactor: v.number() }),
  isEmailChangeConfirmedTwice: v.boolean(),
  hasManualLinking: v.boolean(),
  factors: v.object({
    totp: v.boolean(),
    phone: v.boolean(),
    webauthn: v.boolean(),
    recoveryCodes: v.fallback(v.boolean(), false),
  }),
})

const schema = v.object({
  project: v.object({ name: v.string(), slug: v.optional(v.string()) }),
  anonKey: v.string(),
  version: v.optional(v.string()),
  vfs: v.optional(v.string()),
  hasOpenWorkspaces: v.optional(v.boolean()),
  hasMail: v.optional(v.boolean()),
  hasChannels: v.optional(v.boolean()),
  pushKey: v.optional(v.nullable(v.string())),
  map: v.fallback(
    v.nullish(v.object({ style: v.string(), darkStyle: v.optional(v.nullable(v.string()), null) })),
    undefined,
  ),
  captcha: v.fallback(v.optional(v.object({ isShownAtSignIn: v.boolean(), ofForms: v.string() })), undefined),
  account: v.fallback(v.optional(rules), undefined),
  sample: v.optional(
    v.nullable(
      v.object({
        password: v.string(),
        accounts: v.array(v.object({ email: v.string(), name: v.string(), role: v.optional(v.string()) })),
        start: v.optional(v.object({ table: v.string(), view: v.string() })),
      }),
    ),
  ),
})

/** Server settings sent to every visitor before sign-in. */
export interface AppConfig {
  readonly project: { readonly name: string; readonly slug: string }
  /** Public key for all client requests. */
  readonly anonKey: string
  readonly version: string | undefined
  /** VFS of the local database prescribed by the operator. */
  readonly vfs: string | undefined
  /** Accounts of the sample project; only sent by a loopback server with sample data. */
  readonly sample: SampleAccounts | undefined
  /** Whether every user may start a workspace. */
  readonly hasOpenWorkspaces: boolean
  /** Whether mails reach users; otherwise the server captures them. */
  readonly hasMail: boolean
  /** Whether the server has channels, for who is there. */
  readonly hasChannels: boolean
  /** Key for push subscriptions; absent if the server sends none. */
  readonly pushKey: string | undefined
  /** MapLibre base map styles configured by the operator; without any the app draws the base map. */
  readonly map: MapStyles | undefined
  /** Where captchas are shown: when accounts require one, and before answers of public forms. */
  readonly captcha: { readonly isShownAtSignIn: boolean; readonly ofForms: string }
  /** Rules needed by account screens and password forms. */
  readonly account: AccountRules
}

export interface MapStyles {
  readonly style: string
  /** If null, dark mode uses the other style. */
  readonly darkStyle: string | null
}

export interface AccountRules {
  readonly password: PasswordRules
  /** Number of digits in mail and message codes. */
  readonly codeDigits: { readonly email: number; readonly phone: number; readonly phoneFactor: number }
  /** A new email must also be confirmed from the old one. */
  readonly isEmailChangeConfirmedTwice: boolean
  /** Users may link further identities. */
  readonly hasManualLinking: boolean
  /** Second factors users may add. */
  readonly factors: {
    readonly totp: boolean
    readonly phone: boolean
    readonly webauthn: boolean
    readonly recoveryCodes: boolean
  }
}

export interface SampleAccounts {
  readonly password: string
  readonly accounts: readonly { readonly email: string; readonly name: string; readonly role?: string | undefined }[]
  /** Saved view initially shown for the sample. */
  readonly start?: { readonly table: string; readonly view: string } | undefined
}

const cached = localValue('hf-config', schema)

/** Returns the cached settings, for starting offline. */
export function readCachedConfig(): AppConfig | undefined {
  const value = cached.read()
  return value && toConfig(value)
}

/**
 * Fetches and caches the settings.
 *
 * @throws {TypeError} if the server is unreachable, `Error` on another response
 */
export async function fetchConfig(): Promise<AppConfig> {
  const response = await fetch(CONFIG_PATH, {
    headers: { accept: 'application/json' },
    cache: 'no-store',
    signal: AbortSignal.timeout(CONFIG_TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`${CONFIG_PATH} answered ${response.status}`)
  const value = v.parse(schema, await response.json())
  cached.write(value)
  return toConfig(value)
}

function toConfig(value: v.InferOutput<typeof schema>): AppConfig {
  return {
    project: { name: value.project.name, slug: value.project.slug ?? slugOf(value.project.name) },
    anonKey: value.anonKey,
    version: value.version,
    vfs: value.vfs,
    sample: value.sample ?? undefined,
    hasOpenWorkspaces: value.hasOpenWorkspaces ?? false,
    hasMail: value.hasMail ?? true,
    hasChannels: value.hasChannels ?? true,
    pushKey: value.pushKey ?? undefined,
    map: value.map ?? undefined,
    captcha: value.captcha ?? { isShownAtSignIn: false, ofForms: 'work' },
    account: value.account ?? DEFAULT_RULES,
  }
}

function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug === '' ? 'workspace' : slug
}
