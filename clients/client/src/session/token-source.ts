/** Where uploads and transfers of files get tokens from. */
export interface TokenSource {
  /** @returns a token to try, or `undefined` when no user is signed in. @throws when it cannot be known now */
  token(): Promise<string | undefined>
  /** A new token after the server refused the current one. `undefined`: the person has to sign in again. */
  refreshedToken(): Promise<string | undefined>
}
