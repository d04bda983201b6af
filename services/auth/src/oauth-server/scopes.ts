/** Scopes an app can request. */
export const SUPPORTED_SCOPES = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const

/** Default scope, as in GoTrue. */
export const DEFAULT_SCOPE = 'email'

/** @param text - separated by spaces */
export function parseScopes(text: string): string[] {
  return [...new Set(text.split(' ').filter((scope) => scope !== ''))]
}

/** @returns the first unsupported scope */
export function findUnsupportedScope(scopes: readonly string[]): string | undefined {
  return scopes.find((scope) => !SUPPORTED_SCOPES.some((supported) => supported === scope))
}

export function includesAll(granted: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((scope) => granted.includes(scope))
}
