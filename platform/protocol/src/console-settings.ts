/** What the console's settings screen shows. Times are ISO 8601, sizes are in bytes. */

/** Where a setting was set. */
export interface SettingOrigin {
  /** `project`: `config.toml` of the project. `program`: the program that opened the server, such as a test. */
  readonly kind: 'flag' | 'environment' | 'file' | 'project' | 'program'
  /** The flag, the variable or the file. */
  readonly where: string
}

/** An option of the server and its value in force. */
export interface Setting {
  readonly name: string
  /** The part of the server that has it, such as `Accounts`. */
  readonly group: string
  readonly description: string
  readonly kind: 'switch' | 'number' | 'text' | 'list' | 'json'
  /** As written on the command line; `null` without one. */
  readonly default: string | null
  /** As written on the command line; `null` if it has none or `isHidden`. */
  readonly value: string | null
  /** Whether it is set, and its value is not shown. */
  readonly isHidden: boolean
  /** `null`: it has its default. */
  readonly origin: SettingOrigin | null
  /** `null` for secrets, which do not belong on a command line. */
  readonly flag: string | null
  readonly variable: string
}

/** `GET /settings`. */
export interface SettingList {
  readonly settings: readonly Setting[]
  /** The file that may set each of them. */
  readonly configFile: string
}

/** An external provider that users may sign in with. */
export interface ListedProvider {
  /** `github`, or `custom:…` for one of the admin API. */
  readonly name: string
  readonly isEnabled: boolean
  /** Options without which sign-in fails. */
  readonly missing: readonly string[]
  /** URL to register at the provider. */
  readonly callbackUrl: string
  /** Prefix of its options; `null` for custom providers, which are set through the admin API. */
  readonly optionPrefix: string | null
}

/** `GET /settings/providers`. Built-in providers first. */
export interface ProviderList {
  readonly providers: readonly ListedProvider[]
}

/** A mail template in force. */
export interface ListedMailTemplate {
  readonly kind: string
  /** Whether such mails are sent. */
  readonly isEnabled: boolean
  /** Source of the subject. */
  readonly subject: string
  readonly subjectOption: string
  /** Whether `subjectOption` sets it. */
  readonly hasOwnSubject: boolean
  /** Option that names the HTML file. */
  readonly contentOption: string
  /** The project's HTML file; `null` if the HTML is built in. */
  readonly file: string | null
}

/** `GET /settings/mails`. */
export interface MailTemplateList {
  readonly templates: readonly ListedMailTemplate[]
}

/** `GET /settings/mails/:kind`: a template, rendered with sample values. Its HTML is the page `GET /settings/mails/:kind/page`. */
export interface MailPreview {
  readonly subject: string
  readonly text: string
  /** Source of the HTML, or its beginning if `isCut`. */
  readonly source: string
  readonly isCut: boolean
}

/** A migration of the project. */
export interface ListedMigration {
  readonly version: string
  /** `null` if its file is missing. */
  readonly name: string | null
  /** `older`: not applied, and older than one that is; a start refuses it. `missing`: applied, without a file. */
  readonly state: 'applied' | 'pending' | 'older' | 'missing'
}

/** A migration of Holdfast itself. */
export interface OwnMigration {
  /** Part of the server. */
  readonly source: string
  readonly name: string
  readonly appliedAt: string | null
}

/** `GET /migrations`. Newest first. */
export interface MigrationList {
  readonly folder: string
  /** Whether a start applies them. */
  readonly isApplied: boolean
  readonly project: readonly ListedMigration[]
  /** Names of other `.sql` files of the folder, which are not applied. */
  readonly skipped: readonly string[]
  readonly own: readonly OwnMigration[]
}

/** `GET /migrations/:version`: a file that is not applied yet. */
export interface MigrationText {
  readonly path: string
  readonly text: string
  readonly isCut: boolean
}

/** A backup on the disk of the server. */
export interface ListedBackup {
  /** Of its folder. */
  readonly name: string
  readonly takenAt: string
  /** Release that took it. */
  readonly holdfast: string
  /** Size of the database in it, compressed. */
  readonly databaseBytes: number
}

/** `GET /backups`. Newest first. */
export interface BackupList {
  /** Where they lie. */
  readonly folder: string
  readonly backups: readonly ListedBackup[]
  /** When the one under way began. */
  readonly runningSince: string | null
  /** Why the last one failed, until the next. */
  readonly failure: string | null
  readonly freeBytes: number
  /** Upper estimate of what the next one needs. */
  readonly neededBytes: number
  /** Whether Postgres is that of `DATABASE_URL`. */
  readonly isExternal: boolean
  /** Bucket of stored files, which are not in the backup; `null` if they are. */
  readonly filesIn: string | null
}

export const API_KEY_NAMES = ['publishable', 'secret', 'anon', 'service_role'] as const

export type ApiKeyName = (typeof API_KEY_NAMES)[number]

/** An API key of the project. */
export interface ListedApiKey {
  readonly name: ApiKeyName
  /** The whole key if `isPublic`, otherwise its beginning. */
  readonly shown: string
  /** Whether apps contain it. Others bypass row-level security. */
  readonly isPublic: boolean
}

/** A key that signs sessions. `standby` is published and signs nothing yet, `previous` still verifies. */
export interface SigningKey {
  readonly kid: string
  readonly algorithm: string
  readonly status: 'standby' | 'current' | 'previous' | 'revoked'
  readonly createdAt: string
  readonly updatedAt: string
}

/** `GET /keys`. */
export interface KeyList {
  readonly api: readonly ListedApiKey[]
  /** Newest first. */
  readonly signing: readonly SigningKey[]
  /** Where the secret lies from which the API keys are derived: a file if `isSecretGenerated`, otherwise what sets `jwtSecret`. */
  readonly secretPlace: string
  /** Whether the first start made the secret, in the data folder. */
  readonly isSecretGenerated: boolean
  /** Lifetime in seconds of tokens, which a key has to outlive. */
  readonly tokenSeconds: number
}
