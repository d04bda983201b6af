import type { SupabaseClient } from '@supabase/supabase-js'
import type { TestDevice } from './device.ts'
import type { TestMail, TestMessages, TestSms } from './mails.ts'
import type { TestNetwork } from './network.ts'

/** A user that exists from the start. */
export interface TestUserOptions {
  /** Default: the name at `example.com`. */
  readonly email?: string
  /** Default: shared by all users. */
  readonly password?: string
  readonly phone?: string
  /** A UUID. Default: generated. */
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
   * The folder that contains `supabase`: applies its migrations and seeds, and uses its functions and `holdfast.config.json`. `false`: an empty database.
   * Default: the working directory.
   */
  readonly project?: string | false
  /** By a name used in the test. */
  readonly users?: Readonly<Record<Name, TestUserOptions>>
  /** Settings as in `holdfast.config.json`, overriding the project's. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Reports slow steps of the first start. Default: silent. */
  readonly onProgress?: (line: string) => void
}

export interface Duration {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
}

/** A server with its own database. Disposal closes it with its clients and devices. */
export interface TestHoldfast<Name extends string = string> extends AsyncDisposable {
  /** URL for clients, through {@link TestHoldfast.network}. Unchanged by {@link TestHoldfast.reset}. */
  readonly url: string
  readonly anonKey: string
  readonly publishableKey: string
  readonly serviceRoleKey: string
  readonly secretKey: string
  readonly jwtSecret: string
  /** Connects to its Postgres as `postgres`, bypassing the network. */
  readonly databaseUrl: string
  readonly users: Readonly<Record<Name, TestUser>>
  /** Signs in with unmodified supabase-js: a user by name, or an account created by the project by email and password. */
  signIn(who: Name | { readonly email: string; readonly password: string }): Promise<SupabaseClient>
  /** Unmodified supabase-js without a session. */
  anonymous(): SupabaseClient
  /** Unmodified supabase-js with the `service_role` key, which bypasses row-level security. */
  service(): SupabaseClient
  /**
   * Signs a user in on a new device with a local database in a file, and waits for its first sync. Needs `@holdfast/client` and `@powersync/node`.
   *
   * @throws {TestingError} `test_device_failed`, with the status of device and server
   */
  openDevice(who: Name | { readonly email: string; readonly password: string }): Promise<TestDevice>
  /**
   * Runs one statement as `postgres`, bypassing row-level security.
   *
   * @returns rows as JSON: times are strings
   * @throws {TestingError} with Postgres's SQLSTATE as its code
   */
  query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Captured mails. */
  readonly mails: TestMessages<TestMail>
  /** Captured text messages. */
  readonly messages: TestMessages<TestSms>
  /** Between the server and all clients except devices, which have their own. */
  readonly network: TestNetwork
  /**
   * Moves the server's clock forward: tokens, codes, links and sessions age. Does not affect Postgres's `now()` or the test process's clock, by which clients
   * schedule refreshes.
   */
  advance(duration: Duration): Promise<void>
  /** Resets database and files to the initial state, keeping URL and keys. Earlier sessions and devices become invalid. */
  reset(): Promise<void>
  /** Returns the server's log. */
  log(): Promise<string>
}
