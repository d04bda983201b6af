/** `⌘` on Apple keyboards, else `Ctrl`. */
export function modKey(): string {
  return isApple() ? '⌘' : 'Ctrl'
}

export function isApple(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent)
}
