/**
 * Password hashing, one-time codes and rate limits, from the accounts service. Hashes and secrets are useless without the server's secret, because the
 * project's role can read every table.
 */
export interface Credentials {
  /** Encrypts a secret for storage. */
  seal(secret: string): string
  /** @throws {HoldfastError} `secret_unreadable` if the server's secret has changed */
  unseal(sealed: string): string
  hashPassword(password: string): Promise<string>
  /** Compares in constant time, with a dummy hash if there is none. @throws {HoldfastError} `over_request_rate_limit` */
  verifyPassword(password: string, hash: string | undefined): Promise<boolean>
  createTotpSecret(): string
  totpUri(input: { readonly secret: string; readonly issuer: string; readonly account: string }): string
  /** Returns the step of a valid code, to be stored as used; `undefined` for a wrong or used one. */
  matchTotp(input: {
    readonly secret: string
    readonly code: string
    readonly nowMs: number
    readonly lastUsedStep: number | undefined
  }): number | undefined
  /** Counts an attempt by address, and one by account. @throws {HoldfastError} `over_request_rate_limit` */
  takeAttempt(address: string, account: string): Promise<void>
}
