/** Refresh interval in ms while the page is visible. */
export const REFRESH_MS = 5_000
