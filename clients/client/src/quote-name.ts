/** Quotes an identifier for the local database. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
