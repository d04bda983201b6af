/** Judges the `captcha_token` of `gotrue_meta_security`. */
export interface Captcha {
  readonly isRequired: boolean
  /**
   * Does nothing when no captcha is asked for.
   *
   * @param address - of the client, which the provider compares
   * @throws {HoldfastError} `captcha_failed` (400); `unexpected_failure` (500) when the provider cannot be asked
   */
  require(token: string | undefined, address: string): Promise<void>
}
