import type { SupabaseClient } from '@supabase/supabase-js'
import type { TestDevice } from './device.ts'
import type { TestMail, TestMessages, TestSms } from './mails.ts'
import type { TestNetwork } from './network.ts'

/** A user that is there when the test begins. */
export interface TestUserOptions {
  /** Default: the name, at `example.com`. */
  readonly email?: string
  /** Default: one for all. */
  readonly password?: string
  readonly phone?: string
  /** A UUID. Default: one that Holdfast makes. */
  readonly id?: string
  readonly userMetadata?: Readonly<Record<string, unknown>>
  readonly appMetadata?: Readonly<Record<string, unknown>>
}

export interface TestUser {
  readonly id: string
  readonly email: string
  readonly password: string
}

export interface HoldfastOptions<Name extends string = string> {
  /**
   * The folder that has `supabase`: its migrations and seeds are applied, its functions and `holdfast.config.json` are used. `false`: an empty database.
   * Default: the folder where the tests run.
   */
  readonly project?: string | false
  /** By a name of the test's own. */
  readonly users?: Readonly<Record<Name, TestUserOptions>>
  /** Settings by their names in `holdfast.config.json`, over those of the project. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Told what takes time, the first time only. Default: nobody is. */
  readonly onProgress?: (line: string) => void
}

export interface Duration {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
}

/** A server of a test's own, with a database of its own. Disposal closes it, its clients and devices. */
export interface TestHoldfast<Name extends string = string> extends AsyncDisposable {
  /** Where clients reach it, through {@link TestHoldfast.network}. The same after {@link TestHoldfast.reset}. */
  readonly url: string
  readonly anonKey: string
  readonly publishableKey: string
  readonly serviceRoleKey: string
  readonly secretKey: string
  readonly jwtSecret: string
  /** Connects to its Postgres as `postgres`, past the network. */
  readonly databaseUrl: string
  readonly users: Readonly<Record<Name, TestUser>>
  /** supabase-js, unmodified: as nobody, without a name; signed in, with that of a user; an account that the project made is named by its address and password. */
  signIn(who: Name | { readonly email: string; readonly password: string }): Promise<SupabaseClient>
  /** supabase-js, unmodified, as nobody. */
  anonymous(): SupabaseClient
  /** supabase-js, unmodified, with the `service_role` key, which passes row-level security. */
  service(): SupabaseClient
  /**
   * Signs a user in on a new device, with a local database in a file, and waits for its first sync. Needs `@holdfast/client` and `@powersync/node`.
   *
   * @throws {TestingError} `test_device_failed`, with what the device and the server say
   */
  openDevice(who: Name | { readonly email: string; readonly password: string }): Promise<TestDevice>
  /**
   * Runs one statement as `postgres`, past row-level security.
   *
   * @returns its rows, as JSON has their values: times are texts
   * @throws {TestingError} with Postgres's SQLSTATE as its code
   */
  query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Mails that the server has captured. */
  readonly mails: TestMessages<TestMail>
  /** Text messages that the server has captured. */
  readonly messages: TestMessages<TestSms>
  /** Between the server and all clients but devices, which have one each. */
  readonly network: TestNetwork
  /**
   * Moves the clock of the server forward: tokens, codes, links and sessions grow older. Postgres's own `now()` stays, and so does the clock of the test's process,
   * by which clients decide when to refresh.
   */
  advance(duration: Duration): Promise<void>
  /** Puts the database and the stored files back to what they were at the beginning, with the same address and keys. Sessions and devices of before are void. */
  reset(): Promise<void>
  /** What the server has logged. */
  log(): Promise<string>
}
