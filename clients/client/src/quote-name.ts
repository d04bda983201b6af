/** A name as SQL text of the local database. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
